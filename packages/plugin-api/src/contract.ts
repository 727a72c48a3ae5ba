/** What a plugin can import at run time. A host hands these very values to plugins from --plugin-dir. */
export { MAX_NODE_SCORE, StatusCode } from '@berth/types'
export { defineDeviceSource } from './device-source.ts'
export { PluginError } from './errors.ts'
export { perNode } from './per-node.ts'
export { PLUGIN_API_VERSION } from './plugin-env.ts'
export { defineResourceSource } from './resource-source.ts'
export { defineSchedulingPlugin } from './scheduling-plugin.ts'
