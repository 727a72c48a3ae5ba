import { aggregatedApis } from './api/aggregated-apis.ts'
import { customResources } from './api/custom-resources.ts'
import { webhooks } from './api/webhooks.ts'
import { pluginsOfKubectl } from './client/plugins-of-kubectl.ts'
import { cloudProviders } from './control-plane/cloud-providers.ts'
import { extenders } from './control-plane/extenders.ts'
import { keyManagement } from './control-plane/key-management.ts'
import { schedulers } from './control-plane/schedulers.ts'
import { csiDrivers } from './infrastructure/csi-drivers.ts'
import { devicePlugins } from './infrastructure/device-plugins.ts'
import { draDrivers } from './infrastructure/dra-drivers.ts'
import { extendedResources } from './infrastructure/extended-resources.ts'
import { networks } from './infrastructure/networks.ts'
import { runtimes } from './infrastructure/runtimes.ts'
import { virtualNodes } from './infrastructure/virtual-nodes.ts'
import type { Survey } from './model/survey.ts'

/** Every kind of extension, from the scheduler outwards. */
export const surveys: readonly Survey[] = [
  schedulers,
  extenders,
  extendedResources,
  devicePlugins,
  draDrivers,
  csiDrivers,
  networks,
  runtimes,
  virtualNodes,
  cloudProviders,
  keyManagement,
  webhooks,
  aggregatedApis,
  customResources,
  pluginsOfKubectl,
]
