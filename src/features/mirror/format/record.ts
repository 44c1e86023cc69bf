import type { z } from 'zod';
import { incident, services } from './oncall-records.ts';
import {
  customer,
  cycle,
  document,
  initiative,
  initiativeUpdate,
  issue,
  labels,
  project,
  projectUpdate,
  teams,
  users,
} from './tracker-records.ts';

/** The families of records, each with the shape that its files have. */
export const schemas = {
  issue,
  document,
  project,
  projectUpdate,
  initiative,
  initiativeUpdate,
  cycle,
  customer,
  labels,
  users,
  teams,
  incident,
  services,
} as const;

export type RecordType = keyof typeof schemas;

/** A record as a connector gives it: lists in any order, text with any line ends, times with any offset. */
export type RecordInput = z.input<(typeof schemas)[RecordType]>;

/** A record as its file contains it. */
export type MirroredRecord = z.output<(typeof schemas)[RecordType]>;

/** The record of one family. */
export type RecordOf<Type extends RecordType> = z.output<(typeof schemas)[Type]>;
