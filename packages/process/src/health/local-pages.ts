/** Returns whether the address of a caller is one of this host or pod. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address)
}

/** Refuses callers of other hosts, except for metrics. Used where nothing else decides about callers. */
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
