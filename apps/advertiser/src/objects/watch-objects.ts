import type { Reflector } from '@berth/k8s-client'
import type { Clock, ConfigMap, ExtendedResource, Timer } from '@berth/types'
import type { PreparedDeclarations } from '../config/setup.ts'
import type { Declaration } from '../plan/declaration.ts'
import { anyName, readAllowedNames } from './read/allowed-names.ts'
import { createObjectReader, type DeclaredObjects } from './read/declared-objects.ts'

/** Changes within this time are read together, because a manifest often has many objects. */
const COALESCE_MS = 50

/** Mirrors of the objects, and of the administrator's list of names. */
export interface ObjectMirrors {
  readonly objects: Reflector<ExtendedResource>
  /** Omit to allow every name. */
  readonly allowedNames?: {
    /** `namespace/name` of the ConfigMap. */
    readonly name: string
    readonly configMaps: Reflector<ConfigMap>
  }
}

/** The objects, read again whenever one of them or the list of names changes, until it is disposed. */
export interface ObjectFeed extends Disposable {
  current(): DeclaredObjects
}

/** Reads the mirrored objects. The mirrors must have synced. */
export function watchObjects({
  mirrors: { objects, allowedNames },
  owner,
  prepare,
  clock,
  onChange,
}: {
  readonly mirrors: ObjectMirrors
  /** Name of this installation. */
  readonly owner: string
  /** Creates the source of a declaration. */
  readonly prepare: (declarations: readonly Declaration[]) => PreparedDeclarations
  readonly clock: Clock
  /** Called after a change, with whether the objects declare something else than before. */
  readonly onChange: (isDifferent: boolean) => void
}): ObjectFeed {
  const read = createObjectReader(prepare)
  let timer: Timer | undefined
  let current = readAll()

  function readAll(): DeclaredObjects {
    const allowed =
      allowedNames === undefined
        ? anyName
        : readAllowedNames(allowedNames.configMaps.store.get(allowedNames.name), allowedNames.name)
    return read(objects.store.values(), { owner, allowed })
  }

  function readAgain(): void {
    timer = undefined
    const before = current
    current = readAll()
    const isSame =
      before.parts.length === current.parts.length && before.parts.every((part, index) => part === current.parts[index])
    onChange(!isSame)
  }

  function schedule(): void {
    timer ??= clock.setTimer(COALESCE_MS, readAgain)
  }
  const changes = { onAdd: schedule, onUpdate: schedule, onDelete: schedule }
  const subscriptions = [objects.subscribe(changes), allowedNames?.configMaps.subscribe(changes)]

  return {
    current: () => current,
    [Symbol.dispose]() {
      for (const unsubscribe of subscriptions) unsubscribe?.()
      timer?.cancel()
    },
  }
}
