import { Buffer } from 'node:buffer';
import { CLASS, STOPS_CDATA, STOPS_TEXT } from './chars.js';
import type { Cursor } from './cursor.js';
import { type Elements, wantsText } from './elements.js';
import { ALL } from './events.js';
import { refuseByXmlLimit } from './limits.js';
import { skipPlainText } from './plain-text.js';
import { COPIED_BYTES_MIN, skimMemory } from './skim-memory.js';
import { CDATA, CDATA_START, CONTENT, CONTENT_REFERENCE } from './states.js';
import { type Stops, TextRun } from './text-run.js';

/** Reads character data: text, references, CDATA sections. */
export class TextScanner {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  /** Square brackets directly before this byte, in text (at most 2) or in a CDATA section. */
  #brackets = 0;
  /** A carriage return ended the last chunk: a line feed that follows belongs to it. */
  #afterReturn = false;
  /** Offset of the `&` being read. */
  #ampersand = 0;
  /** Letters of `[CDATA[` seen. */
  #matched = 0;
  readonly #run: TextRun;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#run = new TextRun(cursor.reference);
  }

  /**
   * Reads text up to a `<`, which ends it, or to the end of a reference, behind which it may go on.
   */
  run(chunk: Buffer, i: number, end: number): number {
    i = wantsText(this.#elements.top.interest)
      ? this.#report(chunk, i, end)
      : this.#pass(chunk, i, end, i);
    // The next run begins behind markup or a reference.
    if (i < end) {
      this.#brackets = 0;
    }
    return i;
  }

  /** Goes on with text that is not reported: it began at `entry`, and is plain up to `i`. */
  resume(chunk: Buffer, i: number, end: number, entry: number): number {
    i = this.#pass(chunk, i, end, entry);
    if (i < end) {
      this.#brackets = 0;
    }
    return i;
  }

  /** Checks text that is not reported, up to a `<`. */
  #pass(chunk: Buffer, i: number, end: number, entry: number): number {
    this.#afterReturn = false;
    for (;;) {
      i = skipText(this.#cursor.view, chunk, i, end);
      // Within the next word is a byte that may be a stop, or the end.
      const near = Math.min(i + 4, end);
      while (i < near && (CLASS[chunk[i]!]! & STOPS_TEXT) === 0) {
        i++;
      }
      if (i === near && i < end) continue;
      if (i >= end) break;
      const byte = chunk[i]!;
      if (byte === 0x3c) return i;
      if (byte >= 0x80) {
        i += this.#cursor.wideCharacter(chunk, i, end);
      } else if (byte === 0x26) {
        return this.#beginReference(chunk, i, end);
      } else if (byte === 0x0d) {
        i++;
      } else {
        this.#refuseInText(chunk, entry, i++);
      }
    }
    this.#brackets = this.#bracketsBefore(chunk, entry, end);
    return end;
  }

  /** Reports text, up to a `<`. */
  #report(chunk: Buffer, i: number, end: number): number {
    const elements = this.#elements;
    const all = elements.top.interest === ALL;
    const entry = i;
    if (this.#afterReturn) {
      this.#afterReturn = false;
      if (chunk[i] === 0x0a) {
        i++;
      }
    }
    let start = i;
    let ascii = true;
    let limit = all ? i + elements.top.textLeft : end;
    for (;;) {
      const stop = Math.min(limit, end);
      i = skipPlainText(this.#cursor.view, i, stop);
      const near = Math.min(i + 4, stop);
      while (i < near && (CLASS[chunk[i]!]! & STOPS_TEXT) === 0) {
        i++;
      }
      if (i === near && i < stop) continue;
      if (i >= end || chunk[i] === 0x3c) break;
      const byte = chunk[i]!;
      if (i >= limit) {
        this.#refuseText(this.#cursor.base + limit);
      }
      if (byte >= 0x80) {
        ascii = false;
        i += this.#cursor.wideCharacter(chunk, i, end);
        if (i > limit) {
          this.#refuseText(this.#cursor.base + limit);
        }
      } else if (byte === 0x0d && !all) {
        i++;
      } else if (byte === 0x26 || byte === 0x0d) {
        if (i > start) {
          elements.text(chunk, start, i, ascii);
        }
        const begin = i;
        if (all) {
          i = this.#reportRun(chunk, i, end, STOPS_TEXT);
        }
        if (i === begin && byte === 0x26) return this.#beginReference(chunk, i, end);
        if (i === begin) {
          i = this.#lineEnd(chunk, i + 1, end);
        }
        start = i;
        ascii = true;
        limit = i + elements.top.textLeft;
      } else {
        this.#refuseInText(chunk, entry, i);
        i++;
      }
    }
    if (i > start) {
      elements.text(chunk, start, i, ascii);
    }
    if (i >= end) {
      this.#brackets = this.#bracketsBefore(chunk, entry, end);
    }
    return i;
  }

  /** Reports references and line ends as one text; returns the offset behind. */
  #reportRun(chunk: Buffer, i: number, end: number, stops: Stops): number {
    const { top } = this.#elements;
    const behind = this.#run.read(chunk, i, end, top.textLeft, stops);
    if (this.#run.bytes > 0) {
      this.#elements.characters(this.#run.toString(), this.#run.bytes);
    }
    return behind;
  }

  /**
   * A carriage return has been read: reports the line feed that it stands for, alone or with the
   * one behind it.
   */
  #lineEnd(chunk: Buffer, i: number, end: number): number {
    this.#elements.characters('\n', 1);
    if (i < end) return chunk[i] === 0x0a ? i + 1 : i;
    this.#afterReturn = true;
    return i;
  }

  /** Refuses a control character and the end of a CDATA section; any other `>` is text. */
  #refuseInText(chunk: Buffer, entry: number, i: number): void {
    if (chunk[i] !== 0x3e) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a character that XML does not have', i);
    }
    if (this.#bracketsBefore(chunk, entry, i) === 2) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', ']]> in text', i);
    }
  }

  /** Square brackets directly before `i`, 2 at most, in text that has been read since `entry`. */
  #bracketsBefore(chunk: Buffer, entry: number, i: number): number {
    let count = 0;
    while (count < 2 && i - count > entry && chunk[i - count - 1] === 0x5d) {
      count++;
    }
    return i - count > entry ? count : Math.min(2, count + this.#brackets);
  }

  #beginReference(chunk: Buffer, i: number, end: number): number {
    this.#brackets = 0;
    this.#ampersand = this.#cursor.base + i;
    this.#cursor.reference.begin();
    this.#cursor.state = CONTENT_REFERENCE;
    return this.reference(chunk, i + 1, end);
  }

  reference(chunk: Buffer, i: number, end: number): number {
    const elements = this.#elements;
    while (i < end) {
      const done = this.#cursor.reference.take(chunk[i]!);
      if (done === null) throw this.#cursor.referenceRefusal(i);
      i++;
      if (!done) continue;
      this.#cursor.state = CONTENT;
      if (!wantsText(elements.top.interest)) return i;
      const { code } = this.#cursor.reference;
      const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (bytes > elements.top.textLeft) {
        this.#refuseText(this.#ampersand);
      }
      elements.characters(String.fromCodePoint(code), bytes);
      return i;
    }
    return end;
  }

  /** Behind `<![`. */
  beginCdata(i: number): number {
    this.#cursor.state = CDATA_START;
    this.#matched = 0;
    return i;
  }

  cdataWord(chunk: Buffer, i: number, end: number): number {
    while (i < end && this.#matched < CDATA_WORD.length) {
      if (chunk[i] !== CDATA_WORD[this.#matched]) {
        throw this.#cursor.refusal(
          'XML_NOT_WELLFORMED',
          'a <! that begins no comment or CDATA section',
          i,
        );
      }
      this.#matched++;
      i++;
    }
    if (this.#matched === CDATA_WORD.length) {
      this.#cursor.state = CDATA;
    }
    return i;
  }

  cdata(chunk: Buffer, i: number, end: number): number {
    while (i < end) {
      const byte = chunk[i]!;
      if (byte === 0x5d) {
        this.#afterReturn = false;
        this.#brackets++;
        if (this.#brackets - 2 > this.#elements.top.textLeft) {
          this.#refuseText(this.#cursor.base + i);
        }
        i++;
      } else if (byte === 0x3e && this.#brackets >= 2) {
        this.#flushBrackets(2, this.#cursor.base + i);
        this.#cursor.state = CONTENT;
        return i + 1;
      } else {
        this.#flushBrackets(0, this.#cursor.base + i);
        i = this.#cdataRun(chunk, i, end);
      }
    }
    return end;
  }

  /** Reports the square brackets read in a CDATA section, but for those that belong to its end. */
  #flushBrackets(ending: number, offset: number): void {
    const elements = this.#elements;
    const count = this.#brackets - ending;
    this.#brackets = 0;
    if (count === 0 || !wantsText(elements.top.interest)) return;
    if (count > elements.top.textLeft) {
      this.#refuseText(offset);
    }
    elements.characters(elements.top.interest === ALL ? ']'.repeat(count) : ']', count);
  }

  /** A run of a CDATA section up to a square bracket. */
  #cdataRun(chunk: Buffer, i: number, end: number): number {
    const elements = this.#elements;
    const wanted = wantsText(elements.top.interest);
    const all = elements.top.interest === ALL;
    if (this.#afterReturn) {
      this.#afterReturn = false;
      if (chunk[i] === 0x0a) {
        i++;
      }
    }
    let start = i;
    let ascii = true;
    let limit = all ? i + elements.top.textLeft : end;
    for (;;) {
      const stop = Math.min(limit, end);
      while (i < stop && (CLASS[chunk[i]!]! & STOPS_CDATA) === 0) {
        i++;
      }
      if (i >= end || chunk[i] === 0x5d) break;
      if (i >= limit) {
        this.#refuseText(this.#cursor.base + limit);
      }
      const byte = chunk[i]!;
      if (byte >= 0x80) {
        ascii = false;
        i += this.#cursor.wideCharacter(chunk, i, end);
        if (i > limit) {
          this.#refuseText(this.#cursor.base + limit);
        }
      } else if (byte !== 0x0d) {
        throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a character that XML does not have', i);
      } else if (!all) {
        i++;
      } else {
        if (i > start) {
          elements.text(chunk, start, i, ascii);
        }
        const begin = i;
        i = this.#reportRun(chunk, i, end, STOPS_CDATA);
        if (i === begin) {
          i = this.#lineEnd(chunk, i + 1, end);
        }
        start = i;
        ascii = true;
        limit = i + elements.top.textLeft;
      }
    }
    if (wanted && i > start) {
      elements.text(chunk, start, i, ascii);
    }
    return i;
  }

  #refuseText(offset: number): void {
    if (this.#elements.top.interest === ALL) {
      throw refuseByXmlLimit('textBytes', this.#elements.limits, offset);
    }
  }

  reset(): void {
    this.#brackets = 0;
    this.#afterReturn = false;
  }
}

/** Passes over text as `skipPlainText`, over more kinds of characters where it is long. */
function skipText(view: DataView, chunk: Buffer, from: number, end: number): number {
  const i = skipPlainText(view, from, Math.min(end, from + COPIED_BYTES_MIN));
  return i - from > COPIED_BYTES_MIN - 4 && end - i > COPIED_BYTES_MIN
    ? skimMemory.passText(chunk, i, end)
    : i;
}

const CDATA_WORD = Buffer.from('CDATA[', 'latin1');
