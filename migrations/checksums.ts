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
    sqlite: '985de8e42eac4a644c6319249f926c67a468563f0653161286b81a05941e0f58',
    postgres: '7ed949bbdf695e13cbbad02645a684b3b0f150db7942e7f49b0e292445ed9922',
  },
};
