import { useMemo } from 'preact/hooks'
import { Turn } from '../frames/turn.tsx'
import { percentOf } from '../../../capacity/rows/percent-of.ts'
import { unitOf } from '../../../output/resource-unit.ts'
import { shownUnit } from '../shown-unit.ts'
import { shownAmount } from '../../../output/shown-amount.ts'
import type { UiModel, UiResource } from '../../model/ui-model.ts'
import { fragmentationOf } from './free-blocks.ts'

/** A bar for each resource: requested, free and unhealthy units, and how the free units are spread over nodes. */
export function AllocationBars({ model, search }: { readonly model: UiModel; readonly search: string }) {
  const wanted = search.trim().toLowerCase()
  const shown = model.resources.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <section class="bars" aria-label="Allocation">
      {shown.length === 0 ? (
        <p>No resource has this name.</p>
      ) : (
        shown.map((one) => (
          <Turn key={one.name}>
            <Bar resource={one} />
          </Turn>
        ))
      )}
    </section>
  )
}

const WIDTH = 1_000
const HEIGHT = 24

function Bar({ resource }: { readonly resource: UiResource }) {
  const { name, total } = resource
  const [allocatable, requested, free, unhealthy] = total
  const { scatteredShare, largestBlock, blocks } = useMemo(() => fragmentationOf(resource), [resource])
  const amount = (value: number): string => shownAmount(name, BigInt(value))
  const whole = Math.max(allocatable, requested) + unhealthy
  const widthOf = (value: number): number => (whole === 0 ? 0 : (WIDTH * Math.max(0, value)) / whole)
  const percent = percentOf(BigInt(requested), BigInt(allocatable))
  const unit = shownUnit(name)
  const title = `${name}: ${amount(requested)} of ${amount(allocatable)}${unit} requested`
  return (
    <article aria-label={name}>
      <h2>
        {title}
        {percent === undefined ? '' : ` (${percent}%)`}
      </h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        <rect class="segment-free" width={WIDTH} height={HEIGHT} />
        <rect class="segment-requested" width={widthOf(requested)} height={HEIGHT} />
        <rect class="segment-unhealthy" x={WIDTH - widthOf(unhealthy)} width={widthOf(unhealthy)} height={HEIGHT} />
        <line class="tick" x1={widthOf(requested)} x2={widthOf(requested)} y1="0" y2={HEIGHT} />
        <line
          class="tick"
          x1={widthOf(requested + largestBlock)}
          x2={widthOf(requested + largestBlock)}
          y1={HEIGHT / 2}
          y2={HEIGHT}
        />
        <rect class="outline" width={WIDTH} height={HEIGHT} />
      </svg>
      <p>
        {amount(free)} free, {amount(unhealthy)} unhealthy. The largest request that still fits: {amount(largestBlock)}
        {' (the short line). '}
        {Math.round(scatteredShare * 100)}% of the free amount is on other nodes.
      </p>
      <table class="blocks">
        <thead>
          <tr>
            <th scope="row">Free on one node</th>
            {blocks.map(({ from, to }) => (
              <th scope="col" key={from}>
                {rangeText(name, from, to)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Nodes</th>
            {blocks.map(({ from, nodeCount }) => (
              <td key={from}>{nodeCount}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </article>
  )
}

/** Bytes are rounded to powers of two, so the end of a range reads better as the start of the next. */
function rangeText(name: string, from: number, to: number): string {
  if (from === to) return shownAmount(name, BigInt(from))
  if (unitOf(name) === 'units') return `${from} to ${to}`
  return `${shownAmount(name, BigInt(from))} to ${shownAmount(name, BigInt(to + 1))}`
}
