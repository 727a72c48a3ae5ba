import type { LabelSelector } from '@berth/types'
import { type ApiObject, equalJson, numberAt, objectAt, valueAt } from '@berth/embedded-api-server'
import { controllerReference } from './controlled-object.ts'
import type { ControllerDependencies } from '../loop/controller.ts'
import { templateHash, withoutHash } from './template-hash.ts'

const STORAGE = 'apps/controllerrevisions'
const HASH_LABEL = 'controller-revision-hash'

/** Stores the pod templates of a DaemonSet or StatefulSet as ControllerRevision objects. */
export interface ControllerRevisions {
  /** Returns the hash of the current template. Creates its revision, or makes it the newest again. */
  ensureCurrent(set: ApiObject): string
  /** Deletes the oldest unused revisions above the history limit. `used` has the hash or revision name of every pod. */
  prune(set: ApiObject, used: ReadonlySet<string>): void
}

/** Creates the revision store. kubectl's `rollout history` and `rollout undo` read the objects. */
export function controllerRevisions({ writer, owners }: ControllerDependencies): ControllerRevisions {
  const revisionsOf = (set: ApiObject): readonly ApiObject[] =>
    owners
      .ownedObjects(set.metadata.uid ?? '', STORAGE)
      .toSorted((a, b) => (numberAt(a, 'revision') ?? 0) - (numberAt(b, 'revision') ?? 0))

  return {
    ensureCurrent(set) {
      const revisions = revisionsOf(set)
      const newest = numberAt(revisions.at(-1), 'revision') ?? 0
      const known = findCurrent(set, revisions)
      if (known === undefined) {
        const hash = templateHash(valueAt(set, 'spec', 'template'))
        writer.create(STORAGE, newRevision(set, hash, newest + 1))
        return hash
      }
      if (numberAt(known, 'revision') !== newest) writer.update(STORAGE, known, { ...known, revision: newest + 1 })
      return hashOf(known)
    },

    prune(set, used) {
      const limit = numberAt(set, 'spec', 'revisionHistoryLimit') ?? 10
      const revisions = revisionsOf(set)
      const current = findCurrent(set, revisions)
      const old = revisions.filter(
        (each) => each !== current && !used.has(hashOf(each)) && !used.has(each.metadata.name ?? ''),
      )
      for (const each of old.slice(0, Math.max(0, old.length - limit))) {
        writer.remove(STORAGE, each, { propagationPolicy: 'Background' })
      }
    },
  }
}

function hashOf(revision: ApiObject): string {
  return revision.metadata.labels?.[HASH_LABEL] ?? ''
}

/** Like upstream, finds a revision by its content: that of a recorded cluster has the hash of another controller. */
function findCurrent(set: ApiObject, revisions: readonly ApiObject[]): ApiObject | undefined {
  const template = valueAt(set, 'spec', 'template')
  const hash = templateHash(template)
  const content = withoutHash(template)
  return (
    revisions.find((each) => hashOf(each) === hash) ??
    revisions.find((each) => {
      const { $patch: _patch, ...recorded } = objectAt(each, 'data', 'spec', 'template')
      return equalJson(withoutHash(recorded), content)
    })
  )
}

function newRevision(set: ApiObject, hash: string, revision: number): ApiObject {
  const { name = '', namespace = '', annotations } = set.metadata
  const selector = valueAt(set, 'spec', 'selector') as LabelSelector | undefined
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...selector?.matchLabels, [HASH_LABEL]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(set)],
    },
    data: { spec: { template: { ...objectAt(set, 'spec', 'template'), $patch: 'replace' } } },
    revision,
  }
}
