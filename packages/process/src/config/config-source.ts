/** Where a value came from, in order of precedence. */
export type ConfigSource = 'flag' | 'env' | 'file' | 'default'
