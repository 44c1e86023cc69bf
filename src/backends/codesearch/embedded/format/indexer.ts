/**
 * The version of the data that is extracted from a file. Increase it when segments contain more or other data than
 * before. An index of another version still serves results and accepts pushes, and is rebuilt in the background.
 * Readers must therefore read the segments of every version; data that they cannot read needs another
 * `manifestFormat`.
 */
export const indexerVersion = 8;
