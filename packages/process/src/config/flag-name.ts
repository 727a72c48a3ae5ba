/** `kubeApiQps` -> `kube-api-qps`. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `kubeApiQps` -> `KUBE_API_QPS`: what follows the prefix of the program in the name of the environment variable. */
export function envSuffix(key: string): string {
  return flagName(key).replaceAll('-', '_').toUpperCase()
}
