import type { ObjectWriter } from '../../resources/context/object-writer.ts'
import { objectAt } from '../../schema/json/json-object.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { usedOf } from './quotas.ts'

const QUOTAS = '/resourcequotas'

/** Keeps the status of quotas: what they limit and what is taken of it. */
export function keepQuotas(context: ServerContext, writer: ObjectWriter): void {
  const quotas = context.store.collection(QUOTAS)
  const waiting = new Set<string>()
  context.store.subscribe((_, { object }) => {
    const { namespace } = object.metadata
    if (quotas.size === 0 || namespace === undefined) return
    waiting.add(namespace)
    if (waiting.size > 1) return
    queueMicrotask(() => {
      const namespaces = new Set(waiting)
      waiting.clear()
      for (const quota of quotas.list()) {
        if (!namespaces.has(quota.metadata.namespace ?? '')) continue
        const used = [...usedOf(context, quota)].map(([name, amount]) => [name, amount.toString()] as const)
        const status = { hard: objectAt(quota, 'spec', 'hard'), used: Object.fromEntries(used) }
        writer.updateStatus(QUOTAS, quota, status)
      }
    })
  })
}
