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
    sqlite: 'b01f7f72588f09ef24a8d61e9f0647afbbcc3b2b12f3dafa00348f3fad88dae9',
    postgres: 'b5895257a1a0a11be116acc34a17aa1b0a2d78c4f1f060b0626b7e1d5f941dc4',
  },
  '0003-sign-in-and-oauth': {
    sqlite: '50261f663a7fb29ad50c15a9206de43ab4fd08885b47fec6a3c91eabb888f8b0',
    postgres: 'b744640880091c81f4e29eefddbfb880f260d4d96ae176a1a852caa78b8e00fc',
  },
  '0004-branches': {
    sqlite: '3f7bb6ebd25de30a0a9655f5d85b9eab073ff34c565a01b9c1ae4a9b826a5eb3',
    postgres: '3f7bb6ebd25de30a0a9655f5d85b9eab073ff34c565a01b9c1ae4a9b826a5eb3',
  },
};
