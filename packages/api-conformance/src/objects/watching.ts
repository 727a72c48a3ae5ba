import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { configMap, pod } from '../manifests/manifests.ts'

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const brief = ({ kind, metadata, data }: Json): unknown => ({
  kind,
  name: metadata?.name,
  labels: metadata?.labels,
  annotations: metadata?.annotations,
  data,
})

async function revisionNow({ at, get }: CaseSession): Promise<string> {
  return (await get(`${at('configmaps')}?limit=1`, { isQuiet: true })).body.metadata.resourceVersion
}

const selected = ({ at, name }: CaseSession, more: string): string =>
  `${at('configmaps')}?watch=true&labelSelector=of%3D${name}&${more}`

/** Watches: events, their order, and how watches end. */
export const watching: CaseGroup = caseGroup('watch', {
  'from-now': async (session) => {
    const { at, name, post, patch, watch } = session
    await watch(selected(session, `resourceVersion=${await revisionNow(session)}`), {
      frames: 3,
      showObject: brief,
      act: async () => {
        await post(at('configmaps'), configMap(name, { a: '1' }, { labels: { of: name } }), { isQuiet: true })
        await patch('merge', at('configmaps', name), { data: { a: '2' } }, { isQuiet: true })
        await session.delete(at('configmaps', name), undefined, { isQuiet: true })
      },
    })
  },
  'starts-with-what-is-there': async (session) => {
    const { at, name, post, watch } = session
    await post(at('configmaps'), configMap(`${name}-a`, {}, { labels: { of: name } }), { isQuiet: true })
    await watch(selected(session, ''), {
      frames: 2,
      showObject: brief,
      act: async () => {
        await post(at('configmaps'), configMap(`${name}-b`, {}, { labels: { of: name } }), { isQuiet: true })
      },
    })
  },
  'whole-objects': async (session) => {
    const { at, name, post, watch } = session
    await post(at('configmaps'), configMap(name, { a: '1' }, { labels: { of: name } }), { isQuiet: true })
    await watch(selected(session, 'resourceVersion=0'), { frames: 1 })
  },
  'one-object-by-name': async ({ at, name, post, patch, watch }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    const path = `${at('configmaps')}?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${body.metadata.resourceVersion}`
    await watch(path, {
      frames: 1,
      showObject: brief,
      act: async () => {
        await patch('merge', at('configmaps', name), { data: { a: '2' } }, { isQuiet: true })
      },
    })
  },
  'leaving-the-selection': async (session) => {
    const { at, name, post, patch, watch } = session
    const { body } = await post(at('configmaps'), configMap(name, { a: '1' }, { labels: { of: name } }), {
      isQuiet: true,
    })
    await watch(selected(session, `resourceVersion=${body.metadata.resourceVersion}`), {
      frames: 2,
      showObject: brief,
      act: async () => {
        await patch(
          'merge',
          at('configmaps', name),
          { metadata: { labels: { of: 'other' } }, data: { a: '2' } },
          { isQuiet: true },
        )
        await patch('merge', at('configmaps', name), { metadata: { labels: { of: name } } }, { isQuiet: true })
      },
    })
  },
  'field-selector-of-pods': async ({ at, name, post, patch, watch }) => {
    const { body } = await post(at('pods'), pod(name), { isQuiet: true })
    const version = body.metadata.resourceVersion
    const fields = encodeURIComponent(`metadata.name=${name},status.phase=Running`)
    await watch(`${at('pods')}?watch=true&fieldSelector=${fields}&resourceVersion=${version}`, {
      frames: 2,
      showObject: ({ metadata, status }) => ({ name: metadata.name, phase: status.phase }),
      act: async () => {
        await patch('merge', at('pods', name, 'status'), { status: { phase: 'Running' } }, { isQuiet: true })
        await patch('merge', at('pods', name, 'status'), { status: { phase: 'Failed' } }, { isQuiet: true })
      },
    })
  },
  'missed-changes': async (session) => {
    const { at, name, post, patch, watch } = session
    const { body } = await post(at('configmaps'), configMap(name, { a: '1' }, { labels: { of: name } }), {
      isQuiet: true,
    })
    await patch('merge', at('configmaps', name), { data: { a: '2' } }, { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: { a: '3' } }, { isQuiet: true })
    await watch(selected(session, `resourceVersion=${body.metadata.resourceVersion}`), { frames: 2, showObject: brief })
  },
  'deletion-in-two-steps': async (session) => {
    const { at, name, post, patch, watch } = session
    const metadata = { labels: { of: name }, finalizers: ['example.com/hold'] }
    const { body } = await post(at('configmaps'), configMap(name, {}, metadata), { isQuiet: true })
    await watch(selected(session, `resourceVersion=${body.metadata.resourceVersion}`), {
      frames: 2,
      showObject: ({ metadata }) => ({
        finalizers: metadata.finalizers,
        isMarked: metadata.deletionTimestamp !== undefined,
      }),
      act: async () => {
        await session.delete(at('configmaps', name), undefined, { isQuiet: true })
        await patch('merge', at('configmaps', name), { metadata: { finalizers: null } }, { isQuiet: true })
      },
    })
  },
  'initial-events': async (session) => {
    const { at, name, post, watch } = session
    await post(at('configmaps'), configMap(name, {}, { labels: { of: name } }), { isQuiet: true })
    const more = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    await watch(selected(session, more), { frames: 2, showObject: brief })
  },
  'initial-events-of-nothing': async (session) => {
    const more = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    await session.watch(selected(session, more), { frames: 1 })
  },
  'initial-events-without-bookmarks': async (session) => {
    const { at, name, post, watch } = session
    await post(at('configmaps'), configMap(name, {}, { labels: { of: name } }), { isQuiet: true })
    await watch(selected(session, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan'), {
      frames: 1,
      showObject: brief,
    })
  },
  'initial-events-without-match': (session) =>
    session.watch(selected(session, 'sendInitialEvents=true'), { frames: 1 }),
  'no-initial-events': async (session) => {
    const { at, name, post, watch } = session
    await post(at('configmaps'), configMap(`${name}-a`, {}, { labels: { of: name } }), { isQuiet: true })
    await watch(selected(session, 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan'), {
      frames: 1,
      showObject: brief,
      act: async () => {
        await post(at('configmaps'), configMap(`${name}-b`, {}, { labels: { of: name } }), { isQuiet: true })
      },
    })
  },
  'match-without-initial-events': (session) =>
    session.watch(selected(session, 'resourceVersion=1&resourceVersionMatch=NotOlderThan'), { frames: 1 }),
  'time-runs-out': (session) => session.watch(selected(session, `timeoutSeconds=1`), { frames: 5, showObject: brief }),
  'version-too-old': ({ at, watch }) =>
    watch(`${at('configmaps')}?watch=true&resourceVersion=1`, {
      frames: 1,
      showObject: ({ kind, apiVersion, metadata, status, reason, code }) => ({
        kind,
        apiVersion,
        metadata,
        status,
        reason,
        code,
      }),
    }),
  'version-of-the-future': async (session) => {
    const { at, name, post, patch, watch } = session
    const asked = Number(await revisionNow(session)) + 50
    await watch(selected(session, `resourceVersion=${asked}`), {
      frames: 1,
      showObject: brief,
      act: async () => {
        await post(at('configmaps'), configMap(`${name}-early`, {}, { labels: { of: name } }), { isQuiet: true })
        const { body } = await post(at('configmaps'), configMap(`${name}-other`), { isQuiet: true })
        for (let revision = Number(body.metadata.resourceVersion), i = 0; revision <= asked; i++) {
          const change = { data: { i: String(i) } }
          const { body: next } = await patch('merge', at('configmaps', `${name}-other`), change, { isQuiet: true })
          revision = Number(next.metadata.resourceVersion)
        }
        await post(at('configmaps'), configMap(`${name}-late`, {}, { labels: { of: name } }), { isQuiet: true })
      },
    })
  },
  'future-that-does-not-come': (session) =>
    session.watch(selected(session, 'resourceVersion=999999999999&allowWatchBookmarks=true&timeoutSeconds=1'), {
      frames: 1,
    }),
  'initial-events-of-the-future': async (session) => {
    const more = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999999'
    await session.watch(selected(session, more), { frames: 1 })
  },
  'one-object-as-if-to-watch': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?watch=1`)
  },
  'version-no-number': ({ at, watch }) => watch(`${at('configmaps')}?watch=true&resourceVersion=abc`, { frames: 1 }),
  'timeout-no-number': ({ at, watch }) => watch(`${at('configmaps')}?watch=true&timeoutSeconds=soon`, { frames: 1 }),
  'bad-label-selector': ({ at, watch }) => watch(`${at('configmaps')}?watch=true&labelSelector=%28`, { frames: 1 }),
  'bad-field-selector': ({ at, watch }) =>
    watch(`${at('configmaps')}?watch=true&fieldSelector=data.a%3D1`, { frames: 1 }),
  tables: async (session) => {
    const { at, name, post, watch } = session
    const labels = { of: name }
    await post(at('configmaps'), configMap(name, {}, { labels }), { isQuiet: true })
    await watch(selected(session, ''), { frames: 1, headers: TABLE })
  },
  'tables-after-the-first': async (session) => {
    const { at, name, post, watch } = session
    const labels = { of: name }
    await post(at('configmaps'), configMap(`${name}-a`, {}, { labels }), { isQuiet: true })
    await post(at('configmaps'), configMap(`${name}-b`, {}, { labels }), { isQuiet: true })
    await watch(selected(session, ''), {
      frames: 2,
      headers: TABLE,
      showObject: ({ columnDefinitions, rows }) => ({ hasColumns: columnDefinitions !== null, rows: rows.length }),
    })
  },
  'older-path': async ({ at, name, post, watch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await watch(at('configmaps', name).replace('/api/v1/', '/api/v1/watch/'), { frames: 1, showObject: brief })
  },
})
