/** Where a value came from; earlier ones go before later ones. */
export type ConfigSource = 'flag' | 'env' | 'file' | 'default'
