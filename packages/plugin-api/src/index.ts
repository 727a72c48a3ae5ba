/** The three contracts that contributors write against, and the loader that hosts use. */
export {
  MAX_NODE_SCORE,
  PluginError,
  StatusCode,
  defineDeviceSource,
  defineResourceSource,
  defineSchedulingPlugin,
  extendedResourceName,
  namespacedName,
  perNode,
  qualifiedName,
  requestedResources,
  resourceName,
} from './run-time-exports.ts'
export type { PluginApiVersion } from './contract/api-version.ts'
export type { AllowedOrigin, PluginEnv, SourceEnv } from './contract/plugin-env.ts'
export type { SchedulingHooks, SchedulingPlugin, SchedulingPluginOptions } from './contract/scheduling-plugin.ts'
export type {
  BindResult,
  EffectContext,
  EffectHooks,
  EffectResult,
  PermitResult,
  PostFilterResult,
} from './contract/effect-hooks.ts'
export type { WaitingPod, WaitingPods } from './contract/waiting-pods.ts'
export type { DeviceSource, DeviceSourceOptions, DeviceSourcePlugin, ProbeResult } from './contract/device-source.ts'
export type {
  ResourceReading,
  ResourceSource,
  ResourceSourceOptions,
  ResourceSourcePlugin,
} from './contract/resource-source.ts'
export { pluginKinds } from './contract/berth-plugin.ts'
export type { BerthPlugin, PluginKind } from './contract/berth-plugin.ts'
export type { NodeVerdict, NodeView, PerNodeFunctions } from './contract/per-node.ts'
export { hookHosts, refuseUnsupportedHooks } from './hosting/hook-names.ts'
export type { HookName, SchedulingHost } from './hosting/hook-names.ts'
export { callHook } from './hosting/call-hook.ts'
export type { CallHookOptions } from './hosting/call-hook.ts'
export { loadPlugins } from './loading/load-plugins.ts'
export type { LoadPluginsOptions } from './loading/load-plugins.ts'
export { inspectPlugins } from './loading/inspect-plugins.ts'
export type { InspectedModule } from './loading/inspect-plugins.ts'
export { createPluginRegistry } from './loading/plugin-registry.ts'
export type { PluginWithOrigin, PluginListing, PluginRegistry } from './loading/plugin-registry.ts'
export { pluginApiErrors, pluginErrorIn } from './errors.ts'
export type {
  Allocation,
  Candidates,
  Clock,
  ClusterEvent,
  ClusterObjectKind,
  ClusterObjectKinds,
  ClusterObjectsReader,
  ClusterReader,
  DecideContext,
  DecideHooks,
  Device,
  DeviceHealth,
  FilterOutput,
  Logger,
  Node,
  Pod,
  PreEnqueueResult,
  Random,
} from '@berth/types'
