import { withMetadata } from '../../schema/json/api-object.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Write rules of Namespaces: they carry their name as a label, start as Active, and only the subresource `finalize`
 * changes their finalizers.
 */
export const namespaceStrategy: Strategy = {
  defaults: (namespace) =>
    withMetadata(namespace, {
      labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name ?? '' },
    }),
  prepareCreate: (namespace) => ({ ...namespace, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
  prepareUpdate: (namespace, old) => ({ ...namespace, spec: old['spec'] }),
}
