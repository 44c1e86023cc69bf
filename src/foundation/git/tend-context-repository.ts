/** Removes what killed processes left and joins small packs once there are many; cheap when there is nothing to do. */
export function tendContextRepository(_gitDir: string, _signal: AbortSignal): Promise<void> {
  return Promise.reject(new Error('not built yet'));
}
