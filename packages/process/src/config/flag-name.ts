/** Returns the flag of a key: `kubeApiQps` -> `kube-api-qps`. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns the environment variable of a key without the program's prefix: `kubeApiQps` -> `KUBE_API_QPS`. */
export function envSuffix(key: string): string {
  return flagName(key).replaceAll('-', '_').toUpperCase()
}
