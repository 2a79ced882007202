/** Answers of the service about itself (interface 4.1). */
import * as v from 'valibot';

export const health = v.object({ status: v.picklist(['healthy', 'unhealthy']) });

/** Text for other programs: metrics, the specification in YAML. */
export const plainText = v.string();

/** The specification describes itself as any object. */
export const anyObject = v.record(v.string(), v.unknown());
