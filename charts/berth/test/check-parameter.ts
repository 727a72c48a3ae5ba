import { isDeepStrictEqual } from 'node:util'
import { find, type ChartObject } from './chart-object.ts'

/**
 * Checks that a policy reads the ConfigMap with the allowed names, and refuses without it.
 *
 * @throws Error with what it reads otherwise.
 */
export function checkParameter(objects: readonly ChartObject[], name: string): void {
  const { paramKind } = find(objects, 'ValidatingAdmissionPolicy', name).spec as { readonly paramKind: unknown }
  const { paramRef } = find(objects, 'ValidatingAdmissionPolicyBinding', name).spec as { readonly paramRef: unknown }
  const reference = { name: 'berth-advertiser-names', namespace: 'berth-system', parameterNotFoundAction: 'Deny' }
  if (!isDeepStrictEqual([paramKind, paramRef], [{ apiVersion: 'v1', kind: 'ConfigMap' }, reference])) {
    throw new Error(JSON.stringify({ paramKind, paramRef }))
  }
}
