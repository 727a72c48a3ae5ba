const TAINT = 'node-role.kubernetes.io/control-plane'

/** Lets pods onto the node of the control plane. Disposing closes it again. */
export async function openControlPlane(
  kubectl: (...args: readonly string[]) => Promise<string>,
  node: string,
): Promise<AsyncDisposable> {
  const taint = (change: string): Promise<string> => kubectl('taint', 'nodes', node, change, '--overwrite')
  const taints = await kubectl('get', 'node', node, '-o', 'jsonpath={.spec.taints[*].key}')
  if (taints.split(' ').includes(TAINT)) await taint(`${TAINT}:NoSchedule-`)
  return {
    async [Symbol.asyncDispose]() {
      await taint(`${TAINT}:NoSchedule`)
    },
  }
}
