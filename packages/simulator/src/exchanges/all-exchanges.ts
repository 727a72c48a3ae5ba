import type { ExchangeGroup } from './exchange.ts'
import { access } from './groups/access.ts'
import { admitting } from './groups/admitting.ts'
import { applying } from './groups/applying.ts'
import { controlling } from './groups/controlling.ts'
import { custom } from './groups/custom.ts'
import { creating } from './groups/creating.ts'
import { debugging } from './groups/debugging.ts'
import { defining } from './groups/defining.ts'
import { deleting } from './groups/deleting.ts'
import { discovering } from './groups/discovering.ts'
import { fitting } from './groups/fitting.ts'
import { identities } from './groups/identities.ts'
import { nodes } from './groups/nodes.ts'
import { owning } from './groups/owning.ts'
import { patching } from './groups/patching.ts'
import { pods } from './groups/pods.ts'
import { policies } from './groups/policies.ts'
import { reading } from './groups/reading.ts'
import { resizing } from './groups/resizing.ts'
import { rules } from './groups/rules.ts'
import { statuses } from './groups/statuses.ts'
import { subresources } from './groups/subresources.ts'
import { updating } from './groups/updating.ts'
import { watching } from './groups/watching.ts'
import { webhooks } from './groups/webhooks.ts'

/** Every exchange that is held against the real Kubernetes. */
export const exchangeGroups: readonly ExchangeGroup[] = [
  discovering,
  creating,
  reading,
  updating,
  patching,
  applying,
  owning,
  deleting,
  watching,
  pods,
  nodes,
  statuses,
  subresources,
  resizing,
  fitting,
  debugging,
  controlling,
  defining,
  custom,
  rules,
  access,
  identities,
  admitting,
  policies,
  webhooks,
]
