/** Placeholder of the entry point while the command line is being written. */
import { serve } from './daemon/serve.ts';

process.exitCode = await serve({ dataDir: process.argv[4] });
