/** Returns whether the address of a caller is a loopback address, so that the caller is in this host or pod. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address)
}

/** The default authorization of the health server: refuses callers from other hosts, except for metrics. */
export function refuseRemoteCaller({
  path,
  isLoopback,
}: {
  readonly path: string
  readonly isLoopback: boolean
}): { readonly status: 403; readonly reason: string } | undefined {
  if (path === '/metrics' || isLoopback) return undefined
  return { status: 403, reason: 'only this host may read the page: use kubectl port-forward' }
}
