import { z } from 'zod';

/** The sections of a segment. Readers pass over those that they do not know. */
export const SECTIONS = {
  /** The text of all documents, unit after unit, as `SegmentMeta.codec` says. */
  content: 'content',
  /** Of codec `zstd`. Columns: offset in the text of each block and the end (u32), the same in `content` (u32). */
  blocks: 'blocks',
  meta: 'meta',
  /** Columns: offset of each unit and the end (u32), checksum (u32), first line (u32), flags (u8). */
  units: 'units',
  /**
   * Columns: first unit and the end (u32), bytes (u32), language (u16), static rank (u8), skip reason (u8), branch
   * mask low and high (u32), blob ids (u8).
   */
  documents: 'documents',
  /** Columns: offset of each path and the end (u32), UTF-8 (u8). */
  paths: 'paths',
  /** Columns: trigram * 2 + dense (u32), bytes of its postings (u16). */
  trigrams: 'trigrams',
  postings: 'postings',
  /**
   * Columns: difference to the term before, documents that hold it, bytes of its postings (all varints), terms in each
   * document (u32). Postings are varints, too: see `COUNT_BITS`.
   */
  terms: 'terms-2',
  termPostings: 'term-postings-2',
  /**
   * The same as the first segments had them. Columns: term, documents that hold it, bytes of its postings, terms in each
   * document (all u32). Postings: difference of documents, then count, as varints.
   */
  formerTerms: 'terms',
  formerTermPostings: 'term-postings',
  /** See `symbol-section.ts`. Absent in segments of indexer 1. */
  symbols: 'symbols',
} as const;

/** Of a unit: decides how its text is decoded. */
export const UNIT_FLAGS = { ascii: 1, validUtf8: 2 } as const;

/**
 * A posting of a term is a varint: difference of documents << `COUNT_BITS` | count - 1. Where the count does not fit,
 * those bits are all set, and what is beyond follows.
 */
export const COUNT_BITS = 2;

/** Why a file has no content in the index; 0 means that it has. The names are those of `IndexStatus.skipped`. */
export const SKIP_REASONS = ['', 'too_large', 'binary', 'symlink', 'submodule'] as const;
export const SKIP = { none: 0, tooLarge: 1, binary: 2, symlink: 3, submodule: 4 } as const;

/** A reason of `IndexStatus.skipped` beside those: such an entry is no document, since nothing can ask for its path. */
export const UNSAFE_NAME = 'unsafe_name';

/** How text is kept: as it is, or in blocks of whole units that are compressed one by one. */
export const CODECS = ['raw', 'zstd'] as const;
export type Codec = (typeof CODECS)[number];

export const segmentMeta = z.object({
  documents: z.int().nonnegative(),
  units: z.int().nonnegative(),
  oidBytes: z.union([z.literal(20), z.literal(32)]),
  codec: z.enum(CODECS),
  languages: z.array(z.string()),
});

export type SegmentMeta = z.infer<typeof segmentMeta>;
