import type { SendToExtender } from '@berth/scheduler/testing'
import { sleep } from '@berth/clock'
import type { World } from '../world/world.ts'
import type { SystemFault } from './system-fault.ts'

const MAX_MS = 30_000
const SLOW_MS = 10_000

/** Answers calls to the extender with a fault for a while. */
function callFault(name: string, answer: (world: World) => SendToExtender): SystemFault {
  return {
    name,
    begin(world) {
      const { extenderFaults, healAfter, random, count } = world
      const send = answer(world)
      const fault: SendToExtender = (verb, body) => {
        count(name)
        return send(verb, body)
      }
      extenderFaults.add(fault)
      healAfter(random() * MAX_MS, () => extenderFaults.delete(fault))
    },
  }
}

/** The faults F16 of the extender. */
export const extenderFaults: readonly SystemFault[] = [
  {
    name: 'F16 the extender is killed',
    begin({ extender, count }) {
      count(this.name)
      extender.kill()
    },
  },
  callFault('F16 the extender is down', () => () => {
    return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  }),
  callFault('F16 the extender is slow', ({ clock, callExtender }) => async (verb, body) => {
    await sleep(clock, SLOW_MS)
    return await callExtender(verb, body)
  }),
  callFault('F16 the response of the extender is lost', ({ callExtender }) => async (verb, body) => {
    await callExtender(verb, body)
    throw new Error('socket hang up')
  }),
  callFault('F16 the extender responds with garbage', () => async () => ({ status: 200, text: '{"NodeNames":[1,' })),
  callFault('F16 the extender responds with an unknown node', () => async (verb) => ({
    status: 200,
    text: verb === 'filter' ? '{"NodeNames":["node-9"],"FailedNodes":{},"Error":""}' : '[]',
  })),
  callFault('F16 the extender responds with 500', () => async () => ({ status: 500, text: '{}' })),
  callFault(
    'F16 the extender says that it bound a pod and did not',
    ({ callExtender }) =>
      async (verb, body) =>
        verb === 'bind' ? { status: 200, text: '{"Error":""}' } : await callExtender(verb, body),
  ),
]
