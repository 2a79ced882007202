/** The console: a client of the HTTP interface, and nothing else. */
import { render } from 'preact';
import './style.css';
import { startBasket } from './basket.ts';
import { Frame } from './frame.tsx';
import { startKeys } from './keys.ts';
import { startPresses } from './presses.ts';
import { startReconnecting } from './reconnect.ts';
import { startRouter } from './router.ts';
import { startSecret } from './secret.ts';
import { startSession } from './session.ts';

startRouter();
startKeys();
startPresses();
startBasket();
startSecret();
startReconnecting();
render(<Frame />, document.getElementById('console')!);
void startSession();
