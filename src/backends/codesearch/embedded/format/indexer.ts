/**
 * What is extracted from a file, as a number: raise it when segments of this program hold more or other things than
 * those before. An index of another number goes on answering, and is built anew in the background. Readers take
 * segments of every number; `FORMAT` is for what they could not read.
 *
 * 1: trigrams, terms. 2: symbols.
 */
export const INDEXER = 2;
