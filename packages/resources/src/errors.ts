import { BerthError, type ErrorDescription } from '@berth/types'

/** Codes of {@link QuantityError}. */
export type QuantityErrorCode =
  | 'BERTH_QUANTITY_FORMAT'
  | 'BERTH_QUANTITY_NUMERIC'
  | 'BERTH_QUANTITY_SUFFIX'
  | 'BERTH_QUANTITY_TOO_LARGE'

const reasons: Readonly<Record<QuantityErrorCode, string>> = {
  BERTH_QUANTITY_FORMAT: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  BERTH_QUANTITY_NUMERIC: 'unable to parse numeric part of quantity',
  BERTH_QUANTITY_SUFFIX: "unable to parse quantity's suffix",
  BERTH_QUANTITY_TOO_LARGE: 'quantity has more digits or a larger exponent than any real amount',
}

const hints: Readonly<Record<QuantityErrorCode, string>> = {
  BERTH_QUANTITY_FORMAT: 'Write a number with an optional suffix and no spaces, such as 500m, 4 or 1.5Gi.',
  BERTH_QUANTITY_NUMERIC: 'Write digits before the suffix, such as 1Pi.',
  BERTH_QUANTITY_SUFFIX: 'Use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3.',
  BERTH_QUANTITY_TOO_LARGE: 'Write the amount with fewer digits or a smaller exponent.',
}

/** Thrown for a text that is not a quantity, or whose arithmetic would take unbounded time. */
export class QuantityError extends BerthError {
  /** The reason alone; the message of `resource.ParseQuantity` (Kubernetes v1.36) if upstream refuses the text too. */
  readonly reason: string

  /**
   * @param code - The rule that the text breaks.
   * @param text - The text as given; the message shortens a long one.
   */
  constructor(code: QuantityErrorCode, text: string) {
    const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text
    super(`parse quantity ${JSON.stringify(shown)}: ${reasons[code]}`, { code, hint: hints[code] })
    this.reason = reasons[code]
  }
}

/** Every error that this package throws. */
export const resourcesErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_QUANTITY_FORMAT',
    meaning: 'A quantity is not a number followed by an optional suffix.',
    action: 'Correct the quantity that the message quotes, for example 500m, 4 or 1.5Gi.',
  },
  {
    code: 'BERTH_QUANTITY_NUMERIC',
    meaning: 'A quantity has no digits before its suffix.',
    action: 'Write digits before the suffix.',
  },
  {
    code: 'BERTH_QUANTITY_SUFFIX',
    meaning: 'The suffix of a quantity is unknown to Kubernetes.',
    action: 'Use n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or a decimal exponent such as e3.',
  },
  {
    code: 'BERTH_QUANTITY_TOO_LARGE',
    meaning:
      'A quantity is longer than 1,024 characters, or its exponent is beyond 4,096. Computing with it could take unbounded time.',
    action: 'Write the amount with fewer digits or a smaller exponent.',
  },
]
