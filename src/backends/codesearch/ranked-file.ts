import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DefinedSymbol, Definition } from '../languages/port.ts';
import type { FileClass } from './file-class.ts';
import type { LineSpan } from './source-reader.ts';

export interface RankedFile {
  readonly repository: RepositoryId;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly fileClass: FileClass;
  readonly score: number;
  /** Reasons for the score, strongest first, as readable text (`content: retry, lease`). */
  readonly reasons: readonly string[];
}

/**
 * Limits of the passages of a ranking: their number, the number of repositories with a nearest one, the length of one
 * in UTF-16 code units, the length up to which one is whole, and the number of values that one names.
 */
export const maxPassages = {
  count: 30,
  repositories: 20,
  length: 24_000,
  whole: 1_800,
  values: 4,
} as const;

export interface RankedPassages {
  /** Best first; at most `maxPassages.count`. */
  readonly best: readonly RankedPassage[];
  /**
   * The best passage of each searched repository that has one, best first, for at most `maxPassages.repositories`. With
   * `RankRequest.everyRepository` the best files of each are read for it.
   */
  readonly nearest: readonly RankedPassage[];
  readonly confidence: Confidence;
}

/** The passages of no files. */
export const noPassages: RankedPassages = { best: [], nearest: [], confidence: 'weak' };

/** The probability that a right passage is among the first five: at least 80 % for `likely`, 50 % for `possible`. */
export const confidences = ['likely', 'possible', 'weak'] as const;
export type Confidence = (typeof confidences)[number];

/** A definition with its comment, or lines that no definition contains: top-level code, configuration, a section. */
export interface RankedPassage extends LineSpan {
  readonly repository: RepositoryId;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly fileClass: FileClass;
  /** Absent for lines that no definition contains. */
  readonly definition?: RankedDefinition;
  /** Names of the definitions around it, the innermost first. */
  readonly containers: readonly string[];
  readonly score: number;
  /**
   * Its lines. If it is longer than `maxPassages.whole`, of each passage inside it only the line with the name: a class
   * has its fields and the heads of its methods.
   */
  readonly lines: readonly NumberedLine[];
  /** Constants and the like of its file that it names, outside of it, in line order; at most `maxPassages.values`. */
  readonly values: readonly NumberedLine[];
}

/** A line of a file without its terminator, at most `maxLineLength` characters of it. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** A definition with its extent. */
export interface RankedDefinition extends Definition {
  /** The first line with the comments, decorators and attributes that belong to the definition. 1-based. */
  readonly startLine: number;
  readonly endLine: number;
  /** The lines of its documentation: a comment above it, or a text at the start of its body. */
  readonly doc?: LineSpan;
  /** The class or the like that contains it, or that it is a method of. */
  readonly container?: DefinedSymbol;
  /** True for a test, and for what is defined in a module of tests, also in a file of the product. */
  readonly isTest?: true;
}
