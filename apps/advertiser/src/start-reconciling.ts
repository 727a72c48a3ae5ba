import { isApiStatus } from '@berth/k8s-client'
import { startAdvertiser, type Advertiser, type AdvertiserOptions } from './advertiser.ts'
import { withDeclarations, type PreparedDeclarations } from './config/setup.ts'
import { definitionMissingError } from './errors.ts'
import { startObjectController } from './objects/object-controller.ts'
import { watchObjects, type ObjectMirrors } from './objects/watch-objects.ts'
import type { Declaration } from './plan/declaration.ts'

/** A definition that is not served after this time is reported. */
const MISSING_AFTER_MS = 2_000

/** Options of {@link startReconciling}. */
export interface ReconcilingOptions extends AdvertiserOptions {
  /** Omit to declare resources in the file only. */
  readonly objects?: {
    readonly mirrors: ObjectMirrors
    /** Creates the source of a declaration. */
    readonly prepare: (declarations: readonly Declaration[]) => PreparedDeclarations
  }
  readonly signal: AbortSignal
}

/**
 * Reconciles the nodes with the declarations of the file and of the objects, which go through one path. Waits until the
 * objects are known, because what they declared before would otherwise be withdrawn. `reconfigure` replaces the
 * declarations of the file.
 */
export async function startReconciling(options: ReconcilingOptions): Promise<Advertiser> {
  const { objects, nodes, clock, signal } = options
  if (objects === undefined) return startAdvertiser(options)
  const { mirrors, prepare } = objects
  await waitForObjects(mirrors, options)
  signal.throwIfAborted()

  let fileSetup = options.setup
  const feed = watchObjects({
    mirrors,
    owner: fileSetup.desired.owner,
    prepare,
    clock,
    onChange: update,
  })
  let setup = withDeclarations(fileSetup, feed.current().parts)
  const controller = startObjectController({
    ...options,
    objects: mirrors.objects,
    nodes,
    declared: feed.current(),
    setup,
  })
  const advertiser = startAdvertiser({ ...options, setup, results: controller.results })

  function update(isDifferent: boolean): void {
    if (isDifferent) {
      setup = withDeclarations(fileSetup, feed.current().parts)
      advertiser.reconfigure(setup)
    }
    controller.update(feed.current(), setup)
  }

  return {
    isReady: () => advertiser.isReady(),
    reconfigure(next) {
      fileSetup = next
      update(true)
    },
    async settled() {
      await advertiser.settled()
      await controller.settled()
    },
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]()
      await controller[Symbol.asyncDispose]()
      await advertiser[Symbol.asyncDispose]()
    },
  }
}

async function waitForObjects(
  { objects, allowedNames }: ObjectMirrors,
  { clock, log, signal }: Pick<ReconcilingOptions, 'clock' | 'log' | 'signal'>,
): Promise<void> {
  const timer = clock.setTimer(MISSING_AFTER_MS, () => {
    const failure = objects.failure()
    if (isApiStatus(failure, 404)) log.error({ err: definitionMissingError(failure) }, 'Nothing is written until then')
  })
  try {
    await objects.waitForSync(signal)
    await allowedNames?.configMaps.waitForSync(signal)
  } finally {
    timer.cancel()
  }
}
