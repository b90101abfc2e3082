// The end of a stream of bytes, however long it is and however it is cut into pieces: held in a fixed room.

export interface Tail {
  add(piece: Uint8Array): void;
  /** The last bytes, at most as many as there is room for. */
  bytes(): Uint8Array;
  isWhole(): boolean;
}

/** `most`: bytes. Twice as many are held, so that each byte is moved once at most. */
export function createTail(most: number): Tail {
  const room = new Uint8Array(2 * most);
  let end = 0;
  let length = 0;
  return {
    add: (piece) => {
      length += piece.length;
      const last = piece.subarray(Math.max(0, piece.length - most));
      if (end + last.length > room.length) {
        room.copyWithin(0, end - most, end);
        end = most;
      }
      room.set(last, end);
      end += last.length;
    },
    bytes: () => room.slice(Math.max(0, end - most), end),
    isWhole: () => length <= most,
  };
}
