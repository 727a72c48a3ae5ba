import { realApiServerBinaries, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import type { Bench } from '../measurement.ts'
import { benchBinds } from './bind-cases.ts'
import { benchMirrors } from './mirror-cases.ts'

/** Measures Berth's client on a real kube-apiserver and etcd, next to a plain HTTP loop, client-node and client-go. */
export const clientBench: Bench = {
  name: 'client',
  summary: 'binds, and list and watch, on a real kube-apiserver and etcd',
  async run(options) {
    if (realApiServerBinaries() === undefined)
      throw new Error(
        'run the client benchmark: etcd and kube-apiserver are missing: run e2e/node-image/build-node-image',
      )
    await using server = await startRealApiServer({ isDurable: true })
    const binds = await benchBinds(server, options)
    return [...binds, ...(await benchMirrors(server, options))]
  },
}
