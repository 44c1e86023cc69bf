/**
 * The tables of the database as Kysely sees them, by name. Each feature declares the rows of its own tables in its
 * `tables.ts` and merges them in with `declare module`. Rows are the same on both dialects: times are integer
 * milliseconds, booleans 0 and 1, JSON and ids text. A row changes only together with a migration.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add their tables to it.
export interface Tables {}
