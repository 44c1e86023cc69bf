/** Where the bearer token of a request comes from. */
export interface Bearer {
  /** For the next request. @throws what a refresh throws, where the last token is of no more use */
  current(): Promise<string>;
  /** Another one after `refused` was answered with 401; `undefined` where there is none to be had. */
  after(refused: string): Promise<string | undefined>;
}

export function keyBearer(apiKey: string): Bearer {
  return { current: async () => apiKey, after: async () => undefined };
}
