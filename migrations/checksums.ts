/**
 * SHA-256 of the statements of each migration, per dialect. A released migration never changes: a database that has
 * applied it would differ from a new one. Add a line with each new migration; change none.
 */
export const checksums: Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>> = {
  '0001-initial': {
    sqlite: '6bb1f57372ae65afc8ff8e14c0193c89b63980260abbfbf267ee60cc93208c86',
    postgres: '958fc0ba2de4f0d2f69da87d476208e2d0bc798f38dbbceb31961ca8acdd617a',
  },
  '0002-durable-core': {
    sqlite: '64c25d2907734f54fd10f2d61008d3cd0b9d4fd76d928d7060a5ac63f18eb208',
    postgres: '16c978a4938af0c81f59fa1ab753ba279a57865b6361e0518373f59b1b8920a7',
  },
};
