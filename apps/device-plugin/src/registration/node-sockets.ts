import { startPluginServer } from '../plugin-server/plugin-server.ts'
import { registerClassic } from './register-classic.ts'
import { removeStaleSockets } from './socket-directory.ts'
import { socketIdentity, watchSocket } from './watch-socket.ts'

/** The sockets through which the plugin and the kubelet find and call each other. */
export interface NodeSockets {
  readonly startServer: typeof startPluginServer
  readonly register: typeof registerClassic
  readonly removeStale: typeof removeStaleSockets
  readonly identity: typeof socketIdentity
  readonly watch: typeof watchSocket
}

/** The sockets of this node. */
export const nodeSockets: NodeSockets = {
  startServer: startPluginServer,
  register: registerClassic,
  removeStale: removeStaleSockets,
  identity: socketIdentity,
  watch: watchSocket,
}
