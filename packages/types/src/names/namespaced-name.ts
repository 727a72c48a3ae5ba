/** Splits `namespace/name`. */
export function splitNamespacedName(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, name }
}
