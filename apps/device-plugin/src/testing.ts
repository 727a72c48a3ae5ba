/** The device plugin in memory, for fault runs in virtual time. */
export { startVirtualPlugin, type VirtualPlugin } from './testing/virtual-plugin.ts'
export { KUBELET_SOCKET, REGISTRY, startVirtualPluginManager } from './testing/virtual-plugin-manager.ts'
export type { VirtualPluginManager } from './testing/virtual-plugin-manager.ts'
export { createSocketDirectory, type SocketDirectory } from './testing/virtual-sockets.ts'
