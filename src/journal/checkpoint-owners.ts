/** The values of `database.checkpoints`: who checkpoints, the service or a program that replicates its file. */
export const checkpointOwners = ['own', 'external'] as const;
export type Checkpoints = (typeof checkpointOwners)[number];
