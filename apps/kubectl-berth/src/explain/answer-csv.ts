import { amountInUnit, unitOf } from '../output/resource-unit.ts'
import type { CsvTable, CsvValue } from '../output/csv-text.ts'
import { causeOf } from './groups/group-answers.ts'
import type { NodeAnswer, PodAnswer } from './pod-answer.ts'

/** Returns one record for each node and resource of an answer. Reasons and holders are joined with semicolons. */
export function nodesCsv({ pod, nodes }: PodAnswer): CsvTable {
  const { namespace, name } = pod
  return {
    columns: ['namespace', 'pod', 'node', 'verdict', 'reasons', 'resource', 'unit', 'asks', 'has', 'free', 'heldBy'],
    rows: nodes.flatMap((node) => standings(node).map((cells) => [namespace, name, ...cells])),
  }
}

function standings({ node, verdict, reasons, resources }: NodeAnswer): readonly (readonly CsvValue[])[] {
  const common = [node, verdict, reasons.join('; ')]
  if (resources.length === 0) return [common]
  return resources.map(({ resourceName, asks, has, free, heldBy }) => [
    ...common,
    resourceName,
    unitOf(resourceName),
    amountInUnit(resourceName, asks),
    amountInUnit(resourceName, has),
    amountInUnit(resourceName, free),
    heldBy.map((holder) => `${holder.namespace}/${holder.name}`).join('; '),
  ])
}

/** Returns one record for each pod, with its cause and the cheapest fix. */
export function podsCsv(answers: readonly PodAnswer[]): CsvTable {
  return {
    columns: ['namespace', 'pod', 'fits', 'cause', 'fix'],
    rows: answers.map((answer) => {
      const { pod, fits, fixes } = answer
      return [pod.namespace, pod.name, fits, causeOf(answer), fits ? undefined : fixes[0]?.sentence]
    }),
  }
}
