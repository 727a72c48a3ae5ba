import type { ObjectWriter } from '../../resources/context/object-writer.ts'
import { objectAt } from '../../schema/json/json-object.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { usageInNamespace } from './quotas.ts'

const QUOTAS = '/resourcequotas'

/** Starts the controller that writes the status of quotas: their limits and current usage. */
export function startQuotaController(context: ServerContext, writer: ObjectWriter): void {
  const quotas = context.store.collection(QUOTAS)
  const changedNamespaces = new Set<string>()
  context.store.subscribe((_, { object }) => {
    const { namespace } = object.metadata
    if (quotas.size === 0 || namespace === undefined) return
    changedNamespaces.add(namespace)
    if (changedNamespaces.size > 1) return
    queueMicrotask(() => {
      const namespaces = new Set(changedNamespaces)
      changedNamespaces.clear()
      for (const quota of quotas.list()) {
        if (!namespaces.has(quota.metadata.namespace ?? '')) continue
        const used = [...usageInNamespace(context, quota)].map(([name, amount]) => [name, amount.toString()] as const)
        const status = { hard: objectAt(quota, 'spec', 'hard'), used: Object.fromEntries(used) }
        writer.updateStatus(QUOTAS, quota, status)
      }
    })
  })
}
