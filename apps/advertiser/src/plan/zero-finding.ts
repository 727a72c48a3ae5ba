/** State of a resource that was removed because a device plugin had left it at 0. */
export interface ZeroFinding {
  /** It stayed away, the kubelet wrote it again, or the kubelet wrote it again for the last of several attempts. */
  readonly kind: 'verified' | 'returned' | 'gave-up'
  readonly resourceName: string
}
