/** State of a resource that was removed because a device plugin had left it at 0. */
export interface ZeroFinding {
  /**
   * `verified`: the resource stayed away. `returned`: the kubelet wrote it again, and it is removed again later.
   * `gave-up`: the kubelet wrote it again after the last attempt.
   */
  readonly kind: 'verified' | 'returned' | 'gave-up'
  readonly resourceName: string
}
