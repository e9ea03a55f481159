// libIOReport of a machine that uses 3 mJ in its engine, 5 mJ in its CPU, 1 mJ in each of two memories, and nothing in
// its GPU, between any two samples.
#import <Foundation/Foundation.h>
#include <stdint.h>

static NSDictionary *channel(NSString *name, NSString *unit, long long value) {
  return [NSDictionary dictionaryWithObjectsAndKeys:name, @"name", unit, @"unit",
                                                    [NSNumber numberWithLongLong:value], @"value", nil];
}

static NSMutableDictionary *dictionaryOf(long long times) {
  NSArray *channels = [NSArray arrayWithObjects:channel(@"ANE0", @"mJ", 3 * times), channel(@"CPU Energy", @"uJ", 5000 * times),
                                                channel(@"PCPU", @"mJ", 4 * times), channel(@"DRAM0", @"nJ", 1000000 * times),
                                                channel(@"DRAM1", @"mJ", times), channel(@"GPU Energy", @"nJ", 0), nil];
  NSMutableDictionary *made = [[NSMutableDictionary alloc] init];
  [made setObject:channels forKey:@"IOReportChannels"];
  [made setObject:[NSNumber numberWithLongLong:times] forKey:@"times"];
  return made; // the caller's
}

NSMutableDictionary *IOReportCopyChannelsInGroup(NSString *group, NSString *subgroup, uint64_t a, uint64_t b, uint64_t c) {
  (void)subgroup, (void)a, (void)b, (void)c;
  return [group isEqual:@"Energy Model"] ? dictionaryOf(0) : nil;
}

id IOReportCreateSubscription(void *a, NSMutableDictionary *wanted, NSMutableDictionary **subscribed, uint64_t b, id c) {
  (void)a, (void)b, (void)c;
  *subscribed = [wanted mutableCopy];
  return [[NSObject alloc] init];
}

NSDictionary *IOReportCreateSamples(id subscription, NSMutableDictionary *channels, id a) {
  (void)a;
  static long long times;
  return subscription && channels ? dictionaryOf(++times) : nil;
}

static long long timesOf(NSDictionary *sample) { return [[sample objectForKey:@"times"] longLongValue]; }

NSDictionary *IOReportCreateSamplesDelta(NSDictionary *before, NSDictionary *after, id a) {
  (void)a;
  return dictionaryOf(timesOf(after) - timesOf(before));
}

int64_t IOReportSimpleGetIntegerValue(NSDictionary *channel, int32_t index) {
  return index == 0 ? [[channel objectForKey:@"value"] longLongValue] : 0;
}
NSString *IOReportChannelGetChannelName(NSDictionary *channel) { return [channel objectForKey:@"name"]; }
NSString *IOReportChannelGetUnitLabel(NSDictionary *channel) { return [channel objectForKey:@"unit"]; }
