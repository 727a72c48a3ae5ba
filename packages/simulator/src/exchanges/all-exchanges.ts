import type { ExchangeGroup } from './exchange.ts'
import { applying } from './groups/applying.ts'
import { creating } from './groups/creating.ts'
import { deleting } from './groups/deleting.ts'
import { discovering } from './groups/discovering.ts'
import { nodes } from './groups/nodes.ts'
import { patching } from './groups/patching.ts'
import { pods } from './groups/pods.ts'
import { reading } from './groups/reading.ts'
import { subresources } from './groups/subresources.ts'
import { updating } from './groups/updating.ts'
import { watching } from './groups/watching.ts'

/** Every exchange that is held against the real Kubernetes. */
export const exchangeGroups: readonly ExchangeGroup[] = [
  discovering,
  creating,
  reading,
  updating,
  patching,
  applying,
  deleting,
  watching,
  pods,
  nodes,
  subresources,
]
