/** The exports of this package that exist at run time. A host provides them to plugins from --plugin-dir. */
export { MAX_NODE_SCORE, StatusCode } from '@berth/types'
export { defineDeviceSource } from './contract/device-source.ts'
export { PluginError } from './errors.ts'
export { perNode } from './contract/per-node.ts'
/** @public Only plugins of the previous version import it. */
export { PLUGIN_API_VERSION } from './contract/api-version.ts'
export { extendedResourceName, namespacedName, qualifiedName, resourceName } from './contract/argument-names.ts'
export { requestedResources } from './contract/requested-resources.ts'
export { defineResourceSource } from './contract/resource-source.ts'
export { defineSchedulingPlugin } from './contract/scheduling-plugin.ts'
