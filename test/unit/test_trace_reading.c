/* Recordings that no recorder of ours has made: what reads them must neither take for
 * ever nor let them speak to the terminal. */
#include "trace_test.h"
#include "trace_samples.h"
#include "trace_write.h"
#include "trace/trace.h"

static struct trace_record record_of(enum trace_kind kind, uint64_t time) {
  return (struct trace_record){.when = time << TRACE_TIME_SHIFT | kind};
}

/* A recording of one loop: its header, and a chunk with nothing in it but these. */
struct made {
  struct trace_header header;
  struct trace_chunk chunk;
};

static struct made made_of(uint32_t pid, uint32_t loop, uint64_t start, size_t count) {
  const size_t size = sizeof(struct trace_chunk) + count * sizeof(struct trace_record);
  return (struct made){
      .header = {.magic = TRACE_MAGIC,
                 .version = TRACE_VERSION,
                 .record_size = sizeof(struct trace_record),
                 .length = TRACE_HEADER_SIZE + size,
                 .chunk_size =
                     (uint32_t) (size > TRACE_HEADER_SIZE ? size : TRACE_HEADER_SIZE),
                 .pid = pid,
                 .start_ns = start},
      .chunk = {.magic = TRACE_CHUNK_MAGIC,
                .sequence = 1,
                .stream = 1,
                .kind = TRACE_STREAM_LOOP,
                .number = loop}};
}

static void write_recording(const char* path, const struct made* made,
                            const struct trace_record* records, size_t count) {
  char page[TRACE_HEADER_SIZE] = {0};
  memcpy(page, &made->header, sizeof(made->header));
  FILE* file = fopen(path, "ab");
  assert_int_equal(fwrite(page, sizeof(page), 1, file), 1);
  assert_int_equal(fwrite(&made->chunk, sizeof(made->chunk), 1, file), 1);
  assert_int_equal(fwrite(records, sizeof(*records), count, file), count);
  fclose(file);
}

/* One more chunk, with definitions, behind a recording whose own chunk is full. */
static void write_definitions(const char* path, const struct trace_record* records,
                              size_t count) {
  const struct trace_chunk chunk = {.magic = TRACE_CHUNK_MAGIC,
                                    .sequence = 2,
                                    .stream = 2,
                                    .kind = TRACE_STREAM_DEFINITIONS};
  FILE* file = fopen(path, "ab");
  assert_int_equal(fwrite(&chunk, sizeof(chunk), 1, file), 1);
  assert_int_equal(fwrite(records, sizeof(*records), count, file), count);
  fclose(file);
}

/* No program is a hundred thousand callbacks deep; the time it takes to show one is what
 * is tested. */
static void a_bottomless_file_ends_where_it_cannot_be(void** state) {
  (void) state;
  enum { DEEP = 100000 };
  struct trace trace = {0};
  struct trace_record* records = calloc(DEEP, sizeof(*records));
  for (size_t i = 0; i < DEEP; i++)
    records[i] = record_of(i == 0 ? TRACE_RUN : TRACE_CALLBACK, i);
  struct made made = made_of(1, 1, 0, DEEP);
  write_recording(path_of("deep"), &made, records, DEEP);
  free(records);
  struct trace_loop* loop = read_back(&trace, path_of("deep"));
  assert_in_range(loop->event_count, 500, 2000);
  FILE* out = fopen("/dev/null", "w");
  assert_true(write_text(out, &trace, true));
  fclose(out);
  trace_free(&trace);
}

/* What is written, as text; to be freed. */
static char* text_of(const struct trace* trace, bool turns) {
  char* text;
  size_t size;
  FILE* out = open_memstream(&text, &size);
  assert_true(write_text(out, trace, turns));
  fclose(out);
  return text;
}

static void a_terminal_is_not_told_what_to_do(void** state) {
  (void) state;
  enum {
    RECORDS =
        (TRACE_HEADER_SIZE - sizeof(struct trace_chunk)) / sizeof(struct trace_record)
  };
  struct trace trace = {0};
  struct trace_record records[RECORDS] = {
      record_of(TRACE_RUN, 0), record_of(TRACE_SCRIPT, 2), record_of(TRACE_NAMED, 3),
      record_of(TRACE_END, 4)};
  struct trace_record text_record[2] = {record_of(TRACE_TEXT, 1)};
  char name[] = "\033[2Jname\302\2331m";
  text_record[0].name = records[2].name = 1;
  text_record[0].detail = sizeof(name) - 1;
  memcpy(&text_record[1], name, sizeof(name) - 1);
  struct made made = made_of(1, 1, 0, RECORDS);
  made.header.length += sizeof(struct trace_chunk) + sizeof(text_record);
  snprintf(made.header.command, sizeof(made.header.command), "\033]0;title\a");
  snprintf(made.chunk.backend, sizeof(made.chunk.backend), "\033c");
  write_recording(path_of("loud"), &made, records, RECORDS);
  write_definitions(path_of("loud"), text_record, 2);
  read_back(&trace, path_of("loud"));
  char* text = text_of(&trace, true);
  assert_non_null(strstr(text, "?[2Jname?1m"));
  assert_null(strpbrk(text, "\033\a"));
  free(text);
  trace_free(&trace);
}

/* Also if another began between them. */
static void loops_of_one_process_stand_together(void** state) {
  (void) state;
  static const uint32_t loops[][3] = {{7, 2, 300}, {9, 1, 200}, {7, 1, 100}, {9, 2, 400}};
  struct trace trace = {0};
  struct trace_record run = record_of(TRACE_RUN, 0);
  for (size_t i = 0; i < 4; i++) {
    struct made made = made_of(loops[i][0], loops[i][1], loops[i][2], 1);
    write_recording(path_of("mixed"), &made, &run, 1);
  }
  assert_null(trace_read(&trace, path_of("mixed")));
  trace_sort(&trace);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(trace.loops[i].pid, i < 2 ? 7 : 9);
    assert_int_equal(trace.loops[i].number, i % 2 + 1);
  }
  trace_free(&trace);
}

/* Killed in a callback: how long that had taken is what one wants to know. */
static void what_is_open_lasts_until_the_process_ended(void** state) {
  (void) state;
  struct trace_record records[] = {record_of(TRACE_RUN, 0), record_of(TRACE_TURN, 10),
                                   record_of(TRACE_PHASE, 20),
                                   record_of(TRACE_CALLBACK, 30)};
  struct made made = made_of(1, 1, 1000, 4);
  made.header.length = 0;
  write_recording(path_of("open"), &made, records, 4);
  struct trace trace = {.seen_ns = 6000};
  assert_null(trace_read(&trace, path_of("open")));
  const struct trace_loop* loop = &trace.loops[0];
  assert_sound(loop);
  assert_int_equal(loop->end_ns, 5000);
  const struct event* callback = &loop->events[3];
  assert_int_equal(callback->kind, EVENT_CALLBACK);
  assert_int_equal(callback->duration, 4970);
  assert_true(callback->unfinished);
  trace_free(&trace);

  made.chunk.lost = 1; /* it ended before the program did */
  write_recording(path_of("lost"), &made, records, 4);
  trace.seen_ns = 6000;
  assert_null(trace_read(&trace, path_of("lost")));
  assert_int_equal(trace.loops[0].end_ns, 30);
  trace_free(&trace);
  made = made_of(1, 1, 1000, 4); /* as it is kept */
  made.header.end_ns = 5000;
  write_recording(path_of("kept"), &made, records, 4);
  assert_int_equal(read_back(&trace, path_of("kept"))->end_ns, 5000);
  trace_free(&trace);
}

/* Two timers due at 10 us and 20 us: the first takes 30 us of the second's time. */
static void a_late_timer_is_told_with_what_ran_before_it(void** state) {
  (void) state;
  struct trace trace = {0};
  struct trace_record records[] = {
      record_of(TRACE_RUN, 0),     record_of(TRACE_TURN, 1),
      record_of(TRACE_PHASE, 2),   record_of(TRACE_CALLBACK, 12000),
      record_of(TRACE_END, 50000), record_of(TRACE_CALLBACK, 50000),
      record_of(TRACE_END, 51000), record_of(TRACE_CALLBACK, 52000),
      record_of(TRACE_END, 53000), record_of(TRACE_RUN_END, 60000),
  };
  records[3].number = trace_subject((void*) 0x1000, UV_TIMER);
  records[3].detail = 2;
  records[5].number = trace_subject((void*) 0x2000, UV_TIMER);
  records[5].detail = 30;
  records[7].number = trace_subject((void*) 0x3000, UV_CHECK);
  records[7].detail = 1000; /* no timer's: it is what it was */
  struct made made = made_of(1, 1, 0, 10);
  write_recording(path_of("late"), &made, records, 10);
  const struct trace_loop* loop = read_back(&trace, path_of("late"));
  assert_true(loop->events[3].timer && loop->events[4].timer && !loop->events[5].timer);
  assert_int_equal(loop->events[4].detail, 30000);
  char* text = text_of(&trace, false);
  assert_non_null(strstr(text, "timers: of 2, half were late by 30.0 us at most"));
  assert_non_null(strstr(text, "(timer 2), while 30.0 us were taken by"));
  free(text);
  trace_free(&trace);

  made.header.version = TRACE_VERSION - 1;
  write_recording(path_of("old"), &made, records, 10);
  assert_non_null(strstr(trace_read(&trace, path_of("old")), "older version"));
  made.header.version = TRACE_VERSION + 1;
  write_recording(path_of("new"), &made, records, 10);
  assert_non_null(strstr(trace_read(&trace, path_of("new")), "newer version"));
}

/* Only the last list counts, and what names nothing is none. */
static void what_kept_it_alive_is_told(void** state) {
  (void) state;
  struct trace trace = {0};
  struct trace_record records[] = {record_of(TRACE_RUN, 0),   record_of(TRACE_TURN, 1),
                                   record_of(TRACE_PHASE, 2), record_of(TRACE_WAITS, 3),
                                   record_of(TRACE_SLEEP, 3), record_of(TRACE_END, 9),
                                   record_of(TRACE_WAITS, 9), record_of(TRACE_WAITS, 9),
                                   record_of(TRACE_WAITS, 9), record_of(TRACE_SLEEP, 9)};
  records[2].detail = RONDO_PHASE_POLL;
  records[3].number = trace_subject((void*) 0x1000, UV_TCP);
  records[4].name = 7;
  records[4].detail = 1;
  records[6].number = trace_subject((void*) 0x2000, UV_TIMER);
  records[7].number = trace_subject((void*) 0x1000, UV_TCP);
  records[9].detail = 2;
  struct made made = made_of(1, 1, 0, 10);
  write_recording(path_of("waits"), &made, records, 10);
  read_back(&trace, path_of("waits"));
  char* text = text_of(&trace, false);
  assert_non_null(strstr(text, "when it slept: 7 at most, 0 the last time"));
  assert_non_null(strstr(text, "kept alive then by 2 handles: timer 1, tcp 1\n"));
  free(text);
  trace_free(&trace);
}

/* The first timer's callback takes 30 us; data of a connection has been there for 25 us
 * when it is read behind that, and of another one since before a sleep. */
static void late_data_is_listed_with_what_it_waited_behind(void** state) {
  (void) state;
  struct trace trace = {0};
  struct trace_record records[] = {
      record_of(TRACE_RUN, 0),          record_of(TRACE_TURN, 1),
      record_of(TRACE_PHASE, 2),        record_of(TRACE_CALLBACK, 12000),
      record_of(TRACE_END, 42000),      record_of(TRACE_ARRIVED, 43000),
      record_of(TRACE_PHASE, 43000),    record_of(TRACE_CALLBACK, 44000),
      record_of(TRACE_END, 45000),      record_of(TRACE_SLEEP, 46000),
      record_of(TRACE_END, 96000),      record_of(TRACE_ARRIVED, 97000),
      record_of(TRACE_CALLBACK, 97000), record_of(TRACE_END, 98000),
      record_of(TRACE_ARRIVED, 99000),  record_of(TRACE_RUN_END, 100000),
  };
  records[3].number = trace_subject((void*) 0x1000, UV_TIMER);
  records[5].number = records[7].number = trace_subject((void*) 0x2000, UV_TCP);
  records[5].name = 25;
  records[6].detail = RONDO_PHASE_POLL;
  records[11].number = records[12].number = trace_subject((void*) 0x3000, UV_TCP);
  records[11].name = 52;
  records[14].detail = 1000; /* longer than the recording */
  struct made made = made_of(1, 1, 0, 16);
  write_recording(path_of("arrived"), &made, records, 16);
  const struct trace_loop* loop = read_back(&trace, path_of("arrived"));
  assert_int_equal(loop->arrival_count, 2);
  assert_int_equal(loop->arrivals[0].waited, 25000);
  assert_int_equal(loop->events[loop->arrivals[0].event].start, 44000);
  char* text = text_of(&trace, false);
  assert_non_null(strstr(text, "data that waited to be read, 1 time; the longest"));
  assert_non_null(strstr(text, "(unknown) (tcp 1); held up by (unknown) (timer 1)"));
  assert_null(strstr(text, "(tcp 2); held up"));
  free(text);
  text = text_of(&trace, true);
  assert_non_null(strstr(text, "(tcp 1), its data waited 25.0 us or longer"));
  free(text);
  trace_sort(&trace);
  assert_true(trace_cut(&trace, 90000, 200000));
  assert_int_equal(trace.loops[0].arrival_count, 1);
  assert_int_equal(trace.loops[0].arrivals[0].waited, 52000);
  trace_free(&trace);
}

/* As a ring has it: no record of its own begins a phase. */
static void short_callbacks_and_sleeps_begin_their_phase(void** state) {
  (void) state;
  struct trace trace = {0};
  struct trace_record records[] = {
      record_of(TRACE_RUN, 0),        record_of(TRACE_TURN, 10),
      record_of(TRACE_MANY, 20),      record_of(TRACE_SLEEP, 100),
      record_of(TRACE_END, 200),      record_of(TRACE_MANY, 210),
      record_of(TRACE_CALLBACK, 300), record_of(TRACE_END, 400),
      record_of(TRACE_MANY, 410),     record_of(TRACE_RUN_END, 500),
  };
  records[2].number = (uint64_t) (RONDO_PHASE_PREPARE + 1) << TRACE_MANY_SHIFT | 30;
  records[5].number = (uint64_t) (RONDO_PHASE_POLL + 1) << TRACE_MANY_SHIFT | 80;
  records[8].number = (uint64_t) (RONDO_PHASE_CHECK + 1) << TRACE_MANY_SHIFT | 40;
  records[2].detail = records[5].detail = records[8].detail = 2;
  struct made made = made_of(1, 1, 0, 10);
  write_recording(path_of("phases"), &made, records, 10);
  const struct trace_loop* loop = read_back(&trace, path_of("phases"));
  assert_sound(loop);
  static const unsigned int kinds[] = {EVENT_TURN,     EVENT_TIMERS + RONDO_PHASE_PREPARE,
                                       EVENT_CALLBACK, EVENT_POLL,
                                       EVENT_SLEEP,    EVENT_CALLBACK,
                                       EVENT_CALLBACK, EVENT_TIMERS + RONDO_PHASE_CHECK,
                                       EVENT_CALLBACK};
  static const uint64_t durations[] = {490, 30, 30, 310, 100, 80, 100, 40, 40};
  size_t at = 0;
  while (loop->events[at].kind != EVENT_TURN)
    at++; /* time outside */
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    assert_int_equal(loop->events[at + i].kind, kinds[i]);
    assert_int_equal(loop->events[at + i].duration, durations[i]);
  }
  trace_free(&trace);

  records[2].number = (uint64_t) 200 << TRACE_MANY_SHIFT; /* no phase has this number */
  write_recording(path_of("no phase"), &made, records, 10);
  assert_sound(read_back(&trace, path_of("no phase")));
  trace_free(&trace);
}

static void assert_path(size_t agreeing, const char* innermost, const char* wanted) {
  char* text = NULL;
  size_t size = 0;
  struct hot_path path = {.frames = {"main", "handle /app/x.js:3", "report /app/x.js:9",
                                     "writeFileSync node:fs:7", innermost},
                          .length = 5,
                          .agreeing = agreeing,
                          .counted = agreeing,
                          .samples = agreeing,
                          .scripted = true};
  FILE* out = open_memstream(&text, &size);
  hot_path_write(out, &path, "in ");
  fclose(out);
  assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
  free(text);
}

static void a_stack_begins_with_what_says_something(void** state) {
  (void) state;
  const char* script = "report x.js:9 <- handle x.js:3 (";
  char text[128];
  snprintf(text, sizeof(text), "in __write <- %s", script);
  assert_path(3, "__write", text);
  snprintf(text, sizeof(text), "in writeFileSync node:fs:7 <- %s", script);
  assert_path(3, "Builtin:CallApiCallbackGeneric", text);
  assert_path(3, "linux-vdso.so.1+0x84c", text);
  snprintf(text, sizeof(text), "in %s", script);
  assert_path(2, "__write", text); /* the next sample would have found another */
}

static void a_part_is_whole_in_itself(void** state) {
  (void) state;
  struct trace trace = {0};
  struct trace_record records[50];
  size_t count = 0;
  records[count++] = record_of(TRACE_RUN, 0);
  for (uint64_t turn = 0; turn < 8; turn++) {
    records[count] = record_of(TRACE_TURN, turn * 100);
    records[count++].number = turn + 1;
    records[count] = record_of(TRACE_PHASE, turn * 100 + 10);
    records[count++].detail = RONDO_PHASE_POLL;
    records[count] = record_of(TRACE_SLEEP, turn * 100 + 10);
    records[count++].name = (uint32_t) turn;
    records[count++] = record_of(TRACE_END, turn * 100 + 50);
    records[count++] = record_of(TRACE_CALLBACK, turn * 100 + 60);
    records[count++] = record_of(TRACE_END, turn * 100 + 90);
  }
  records[count++] = record_of(TRACE_RUN_END, 800);
  struct made made = made_of(1, 1, 1000, count);
  write_recording(path_of("part"), &made, records, count);
  const struct trace_loop* loop = read_back(&trace, path_of("part"));
  trace_sort(&trace);
  assert_true(trace_cut(&trace, 320, 470));
  assert_sound(loop);
  assert_int_equal(loop->begin_ns, 300);
  assert_int_equal(loop->end_ns, 500);
  assert_int_equal(loop->wait_count, 2);
  assert_int_equal(loop->waits[0].requests, 3);
  char* text = text_of(&trace, false);
  assert_non_null(strstr(text, "2 turns in 200 ns"));
  assert_non_null(strstr(text, "asleep             80 ns   40.0 %"));
  assert_non_null(strstr(text, "in callbacks       60 ns   30.0 %"));
  assert_non_null(strstr(text, "outside             0 ns    0.0 %"));
  free(text);
  assert_true(trace_cut(&trace, 10000, UINT64_MAX));
  assert_int_equal(loop->event_count, 0);
  text = text_of(&trace, false);
  free(text);
  trace_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(a_bottomless_file_ends_where_it_cannot_be),
      trace_test(a_terminal_is_not_told_what_to_do),
      trace_test(loops_of_one_process_stand_together),
      trace_test(what_is_open_lasts_until_the_process_ended),
      trace_test(a_late_timer_is_told_with_what_ran_before_it),
      trace_test(what_kept_it_alive_is_told),
      trace_test(late_data_is_listed_with_what_it_waited_behind),
      trace_test(short_callbacks_and_sleeps_begin_their_phase),
      trace_test(a_stack_begins_with_what_says_something),
      trace_test(a_part_is_whole_in_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
