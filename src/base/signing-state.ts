/** States of the signing of zones, by which they are listed. */
export const signingStates = ['rolling', 'troubled', 'waiting'] as const;

export type SigningState = (typeof signingStates)[number];
