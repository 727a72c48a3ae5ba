/** A bug that is planted into the source text of an app or of a package that it uses. */
export interface Mutant {
  readonly name: string
  readonly app: 'scheduler' | 'extender' | 'advertiser' | 'device-plugin'
  /** Path from the root of the repository. */
  readonly file: string
  /** Text that occurs once in the file. */
  readonly from: string
  readonly to: string
}

/** The planted bugs. The fault run must find each of them. */
export const mutants: readonly Mutant[] = [
  {
    name: 'skipped-forget',
    app: 'scheduler',
    file: 'apps/scheduler/src/cycle/assume-and-bind.ts',
    from: '  context.view.forget(info.pod)\n',
    to: '',
  },
  {
    name: 'no-assume',
    app: 'scheduler',
    file: 'apps/scheduler/src/cycle/assume-and-bind.ts',
    from: '    view.assume(pod, nodeName, { expiresAfterMs: Infinity })\n',
    to: '',
  },
  {
    name: 'stale-assume',
    app: 'scheduler',
    file: 'packages/fit-engine/src/state/cluster-table.ts',
    from: '    if (isTerminal(pod)) this.deletePod(pod)\n',
    to: '    if (this.isAssumed(pod)) return\n    if (isTerminal(pod)) this.deletePod(pod)\n',
  },
  {
    name: 'lost-wake-up',
    app: 'scheduler',
    file: 'apps/scheduler/src/queue/feed-queue.ts',
    from: '  if (mayHelpPods(change)) queue.onClusterChange(change)\n',
    to: '',
  },
  {
    name: 'no-retry-after-an-error',
    app: 'scheduler',
    file: 'apps/scheduler/src/cycle/end-attempt.ts',
    from: '  queue.retryAfterBackoff(info)\n',
    to: '  queue.done(info.key)\n',
  },
  {
    name: 'bind-without-uid',
    app: 'scheduler',
    file: 'packages/k8s-client/src/api-client/bind-pod.ts',
    from: '      ...(uid === undefined ? {} : { uid }),\n',
    to: '',
  },
  {
    name: 'two-leaders',
    app: 'scheduler',
    file: 'packages/k8s-client/src/leases/leader-election.ts',
    from: "    if (!isFast && holder !== '' && holder !== identity && isFresh) return false\n",
    to: '',
  },
  {
    name: 'lost-bind-counts-as-failed',
    app: 'scheduler',
    file: 'packages/k8s-client/src/binding/bind-and-confirm.ts',
    from: '      return confirmBinding(pod, nodeName, lostBind(errorText(outcome.cause)), options)\n',
    to: "      return { kind: 'gone' }\n",
  },
  {
    name: 'extender-takes-no-units',
    app: 'extender',
    file: 'apps/extender/src/bind/binder.ts',
    from: '    view.assume(annotated.pod, nodeName, { expiresAfterMs: ASSUMPTION_MS })\n',
    to: '',
  },
  {
    name: 'extender-keeps-units',
    app: 'extender',
    file: 'apps/extender/src/bind/binder.ts',
    from: '    if (!stop.signal.aborted) view.forget(pod)\n',
    to: '',
  },
  {
    name: 'extender-binds-without-a-check',
    app: 'extender',
    file: 'apps/extender/src/bind/binder.ts',
    from: 'view.notReady() ?? misfit(pod, nodeName)',
    to: 'view.notReady()',
  },
  {
    name: 'failed-write-is-not-repeated',
    app: 'advertiser',
    file: 'apps/advertiser/src/advertiser.ts',
    from: '      queue.add(nodeName, delayMs)\n',
    to: '',
  },
  {
    name: 'lowers-below-what-pods-hold',
    app: 'advertiser',
    file: 'apps/advertiser/src/write/plan-above-use.ts',
    from: '  if (plan.lowered.size === 0) return plan\n',
    to: '  if (plan.lowered.size >= 0) return plan\n',
  },
  {
    name: 'no-withdrawal',
    app: 'advertiser',
    file: 'apps/advertiser/src/plan/plan-node.ts',
    from: "    return keepHeld({ kind: 'withdraw', resourceName, observed }, heldContext)\n",
    to: '    return undefined\n',
  },
  {
    name: 'drift-is-not-seen',
    app: 'advertiser',
    file: 'apps/advertiser/src/advertiser.ts',
    from: "    onUpdate: (_, node) => queue.add(node.metadata.name ?? ''),\n",
    to: '',
  },
  {
    name: 'writes-at-rest',
    app: 'advertiser',
    file: 'apps/advertiser/src/plan/plan-node.ts',
    from: '  if (observed.capacity !== units || observed.allocatable !== units || (former ?? 0n) > units) {',
    to: '  if (observed.capacity !== undefined) {',
  },
  {
    name: 'registers-once',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/registration/keep-registered.ts',
    from: '  while (!signal.aborted) {\n',
    to: '  while (!signal.aborted && attempt === 0) {\n',
  },
  {
    name: 'sends-one-list',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/plugin-server/stream-device-lists.ts',
    from: '    timer ??= clock.setTimer(DEBOUNCE_MS, send)\n',
    to: '',
  },
  {
    name: 'double-allocate',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/plugin-server/stream-device-lists.ts',
    from: '    devices: devices.map(({ id',
    to: '    devices: devices.flatMap((each) => [each, { ...each, id: `${each.id}-again` }]).map(({ id',
  },
  {
    name: 'renames-devices-at-a-start',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/plugin-server/stream-device-lists.ts',
    from: '      ID: id,\n',
    to: '      ID: `${id}~${Math.floor(globalThis.performance.now())}`,\n',
  },
  {
    name: 'gives-unhealthy-devices',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/plugin-server/stream-device-lists.ts',
    from: '      health,\n',
    to: "      health: 'Healthy',\n",
  },
  {
    name: 'allocates-unknown-devices',
    app: 'device-plugin',
    file: 'apps/device-plugin/src/plugin-server/allocate.ts',
    from: '.map((id) => table.get(id) ?? refuseUnknown(action, id))',
    to: ".map((id) => table.get(id) ?? { id, health: 'Healthy' })",
  },
]
