import { KubeConfig } from '@kubernetes/client-node/dist/config.js'

/** Returns an empty KubeConfig of client-node. Import this module only when one is needed: it loads client-node. */
export function newKubeConfig(): KubeConfig {
  return new KubeConfig()
}
