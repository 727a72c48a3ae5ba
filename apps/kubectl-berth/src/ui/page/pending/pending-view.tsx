import type { PendingGroup, Remedy } from '../../model/pending-model.ts'
import { matchingGroups } from './matching-groups.ts'
import { usePending } from './use-pending.ts'

/** Shows why pods are pending: for each cause the pods, the nodes left after each filter, and verified fixes. */
export function PendingView({
  token,
  search,
  changedMs,
  isPast,
}: {
  readonly token: string
  readonly search: string
  /** Time of the last change of nodes and pods. */
  readonly changedMs: number
  /** Whether the other views show an earlier time. */
  readonly isPast: boolean
}) {
  const { pending, problem } = usePending(token, changedMs)
  return (
    <section class="pending" aria-label="Pending pods">
      {isPast && <p class="status">The other views show an earlier time. This one explains the pods of now.</p>}
      {[...(problem === undefined ? [] : [problem]), ...(pending?.notes ?? [])].map((sentence) => (
        <p class="problem" role="alert" key={sentence}>
          {sentence}
        </p>
      ))}
      {pending === undefined ? (
        <p class="status">{problem === undefined ? 'Explaining the pending pods …' : ''}</p>
      ) : pending.groups.length === 0 ? (
        <p class="status">{pending.summary}</p>
      ) : (
        matchingGroups(pending.groups, search).map((group) => <Group key={group.cause} group={group} />)
      )}
    </section>
  )
}

function Group({ group }: { readonly group: PendingGroup }) {
  const { cause, count, pods, profile, nodeCount, funnel, nodes, obstacles, fixes } = group
  return (
    <article aria-label={cause}>
      <h2>
        {count} {count === 1 ? 'pod' : 'pods'}: {cause}
      </h2>
      <p class="status">
        {pods.join(', ')}
        {pods.length < count ? ` and ${count - pods.length} more` : ''}
      </p>
      {funnel.length > 0 && (
        <table class="funnel">
          <caption>Nodes left after each filter</caption>
          <tbody>
            <tr>
              <th scope="row">all</th>
              <td>{nodeCount}</td>
              <td class="wide">
                <Share part={nodeCount} whole={nodeCount} />
              </td>
            </tr>
            {funnel.map(({ plugin, before, after }) => (
              <tr key={plugin}>
                <th scope="row">{plugin}</th>
                <td>
                  {before} → {after}
                </td>
                <td class="wide">
                  <Share part={after} whole={nodeCount} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Remedies title="First" remedies={obstacles} />
      <Remedies title="What would help (cheapest first; each was tried on a copy of the cluster)" remedies={fixes} />
      {nodes.length > 0 && (
        <details>
          <summary>
            Reasons of {nodes.length === nodeCount ? 'each node' : `the ${nodes.length} nodes that come nearest`}
          </summary>
          <dl>
            {nodes.map(({ node, reasons }) => (
              <div key={node}>
                <dt>{node}</dt>
                <dd>{reasons.join('; ')}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <p class="status">{profile}</p>
    </article>
  )
}

function Share({ part, whole }: { readonly part: number; readonly whole: number }) {
  return (
    <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
      <rect class="segment-requested" width={whole === 0 ? 0 : (1000 * part) / whole} height="16" />
      <rect class="outline" width="1000" height="16" />
    </svg>
  )
}

function Remedies({ title, remedies }: { readonly title: string; readonly remedies: readonly Remedy[] }) {
  if (remedies.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ol>
        {remedies.map(({ sentence, commands }) => (
          <li key={sentence}>
            {sentence}
            {commands.map((command) => (
              <pre key={command}>{command}</pre>
            ))}
          </li>
        ))}
      </ol>
    </>
  )
}
