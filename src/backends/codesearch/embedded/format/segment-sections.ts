import { z } from 'zod';

/** The sections of a segment. Readers ignore unknown ones. */
export const sectionIds = {
  /** The text of all documents, unit by unit, encoded with `SegmentMeta.codec`. */
  content: 'content',
  /** Codec `zstd` only. Columns: offsets of the blocks in the text and the end (u32), the same in `content` (u32). */
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
  /** Columns: trigram * 2 + dense (u32), size of its postings in bytes (u16). */
  trigrams: 'trigrams',
  postings: 'postings',
  /**
   * Columns: difference to the previous term, number of documents with the term, size of its postings in bytes (all
   * varints), number of terms in each document (u32). Postings are varints, too: see `countBits`.
   */
  terms: 'terms',
  termPostings: 'term-postings',
} as const;

/** Flags of a unit that select how its text is decoded. */
export const unitFlags = { ascii: 1, validUtf8: 2 } as const;

/**
 * Number of bits for the count in a posting of a term. A posting is one varint, (difference of documents <<
 * `countBits`) | (count - 1). If the count does not fit, all of these bits are set and the rest follows as a second
 * varint.
 */
export const countBits = 2;

/**
 * Reasons why a file has no content in the index; 0 means that it has. The names are those of `IndexStatus.skipped`.
 */
export const skipReasons = ['', 'too_large', 'binary', 'symlink', 'submodule', 'lfs_pointer'] as const;
export const skipCodes = {
  none: 0,
  tooLarge: 1,
  binary: 2,
  symlink: 3,
  submodule: 4,
  lfsPointer: 5,
} as const;

/** Another reason in `IndexStatus.skipped`. Such an entry is not a document, because its path cannot be requested. */
export const unsafeName = 'unsafe_name';

/** Encodings of text: uncompressed, or in blocks of complete units that are compressed separately. */
export const codecs = ['raw', 'zstd'] as const;
export type Codec = (typeof codecs)[number];

export const segmentMeta = z.object({
  documents: z.int().nonnegative(),
  units: z.int().nonnegative(),
  oidBytes: z.union([z.literal(20), z.literal(32)]),
  codec: z.enum(codecs),
  languages: z.array(z.string()),
});

export type SegmentMeta = z.infer<typeof segmentMeta>;
