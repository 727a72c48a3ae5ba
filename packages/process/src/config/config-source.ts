/** The origin of a value. Listed in order of precedence. */
export type ConfigSource = 'flag' | 'env' | 'file' | 'default'
